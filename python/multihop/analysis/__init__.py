"""What finished runs show: where packets went, what TCP believed, which interferers there were."""
