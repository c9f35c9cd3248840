//! Time lines of every shim: each transition of its state diagram is a line that is wrong without it.
//!
//! Each row below was taken out of its machine once; the test beside it then failed. TCP-F's relays are in
//! `signals/tests/tcp_f_relay.rs`, TCP-BuS's in `signals/tests/tcp_bus_relay.rs`, RED in `queue/tests/red.rs`, ECN in
//! `tcp/connection/tests/ecn.rs`.
//!
//! | TCP-F (Sridhara & Subramanya §3) | test |
//! |---|---|
//! | active, RFN: snooze | `tcp_f::a_failure_freezes_and_the_notification_thaws_with_everything_unacknowledged` |
//! | snooze, RRN: active, all unacknowledged again | the same |
//! | snooze, timer: active | `tcp_f::the_route_failure_timer_ends_the_snooze_too` |
//! | snooze, RFN or late ACK: stays | `tcp_f::snoozing_it_ignores_failures_and_takes_late_acks_as_they_come` |
//! | probes instead of RRN | `tcp_f::instead_of_waiting_it_may_probe_until_an_ack_comes` |
//! | window anew on resuming | `tcp_f::window_and_threshold_may_begin_anew` |
//! | relay, own failure: RFN; new route: RRN | `route_failure::the_first_loss_is_a_failure_and_a_new_route_its_end` |
//! | relay, RFN: recorded, passes on | `route_failure::a_failure_passes_on_and_is_recorded` |
//! | relay, RFN with another way: ends | `route_failure::a_failure_ends_where_there_is_another_way` |
//! | relay, later RRN dropped; RRN opens | `route_failure::one_notification_that_there_is_a_route_is_enough` |
//! | relay, failed: blocked | `route_failure::a_failed_route_is_blocked_until_there_is_one_again` |
//! | relay, buffering | `route_failure::segments_may_wait_and_go_when_there_is_a_route` |
//! | relay, an RFN for each packet | `route_failure::the_node_at_the_break_may_answer_every_segment` |
//! | relay of a source that probes | `route_failure::nodes_that_do_not_say_when_it_is_back_remember_nothing` |
//!
//! | ELFN (§4) | test |
//! |---|---|
//! | normal, ELFN: stand-by, first probe at once | `elfn::a_failure_freezes_probes_and_any_ack_thaws` |
//! | stand-by, timer: probe; ACK: normal | the same |
//! | stand-by, ELFN: lowest segment; it as the probe | `elfn::standing_by_it_remembers_the_lowest_segment_reported` |
//! | interval by the round trip | `elfn::the_interval_may_follow_the_round_trip` |
//! | window and timeout on restoring | `elfn::window_and_timeout_afterwards_are_chosen` |
//! | header as the probe | `elfn::a_header_alone_may_probe_and_the_first_segment_follows_the_answer` |
//!
//! | ATCP (§5) | test |
//! |---|---|
//! | normal, third duplicate ACK: loss; loss, duplicate: swallowed | `atcp::the_third_duplicate_ack_is_a_loss_that_tcp_never_hears_of` |
//! | normal, timeout: loss; loss, timeout: again | `atcp::timeouts_are_suppressed_and_everything_is_sent_again_each_time` |
//! | normal, echo: congested; new segment: normal | `atcp::congestion_is_left_to_tcp_until_it_sends_something_new` |
//! | loss, echo: congested | `atcp::an_echo_in_a_loss_wakes_tcp_to_react` |
//! | any, unreachable: disconnected | `atcp::a_loss_or_congestion_may_turn_into_a_disconnection` |
//! | loss, new ACK: normal | `atcp::the_third_duplicate_ack_is_a_loss_that_tcp_never_hears_of` |
//! | disconnected, timer: probe, 60 s at most; ACK: normal | `atcp::without_a_route_it_probes_and_begins_with_one_segment` |
//! | disconnected, ACK with echo: congested | `atcp::a_loss_or_congestion_may_turn_into_a_disconnection` |
//!
//! | modified ATCP (§7, 9) | test |
//! |---|---|
//! | timeouts beyond the threshold are TCP's; a new ACK ends the count | `atcp::one_timeout_too_many_is_tcps_own` |
//! | the first lost segment only, then further holes | `atcp::only_the_first_lost_segment_is_sent_again` |
//! | linear back-off of probes | `atcp::probes_may_back_off_gently` |
//!
//! | RED and ECN (Floyd & Jacobson 1993; RFC 3168) | test |
//! |---|---|
//! | the average | `red::the_average_moves_by_its_weight` |
//! | idle time | `red::while_nothing_waits_the_average_falls_as_if_packets_were_served` |
//! | below the minimum, from the maximum | `red::below_the_minimum_nothing_is_lost_and_from_the_maximum_everything` |
//! | spread | `red::losses_are_spread_evenly` |
//! | gentle | `red::gentle_goes_on_rising_until_twice_the_maximum` |
//! | data are ECN-capable | `ecn::both_ends_agree_with_the_handshake` |
//! | a receiver echoes until CWR | `ecn::a_receiver_echoes_until_it_is_answered` |
//! | once for each window, CWR | `ecn::an_echo_halves_the_window_once_for_each_window_of_data` |

mod adtcp;
mod atcp;
mod atcp_sack;
mod contract;
mod ebsn;
mod elfn;
mod eln;
mod enic;
mod freeze_tcp;
mod rig;
mod split_tcp;
mod tcp_bus;
mod tcp_f;
