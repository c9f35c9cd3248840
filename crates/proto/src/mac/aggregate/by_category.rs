//! What a station with access categories counts beside.

use super::fates::Fates;
use crate::units::counters;
use crate::wire::Category;

counters! {
    /// What became of the packets of each category, and how the categories met.
    pub struct CategoryCounters {
        /// Frames sent in a transmit opportunity after its first.
        pub frames = "mac.opportunity-frames",
        /// CF-Ends sent: transmit opportunities that were reserved for longer than they took.
        pub ends = "mac.cf-ends",
        /// Frames that gave way to a higher category of the station at the same instant.
        pub internal_collisions = "mac.internal-collisions",
        /// Packets of voice that got through.
        pub voice = "mac.voice-packets",
        /// Packets of voice that were given up.
        pub voice_lost = "mac.voice-given-up",
        /// Packets of video that got through.
        pub video = "mac.video-packets",
        /// Packets of video that were given up.
        pub video_lost = "mac.video-given-up",
        /// Packets of best effort that got through.
        pub best_effort = "mac.best-effort-packets",
        /// Packets of best effort that were given up.
        pub best_effort_lost = "mac.best-effort-given-up",
        /// Packets of background that got through.
        pub background = "mac.background-packets",
        /// Packets of background that were given up.
        pub background_lost = "mac.background-given-up",
    }
}

impl CategoryCounters {
    /// What became of packets of a category.
    pub fn note(&mut self, category: Category, fates: &Fates) {
        let (through, lost) = match category {
            Category::Voice => (&mut self.voice, &mut self.voice_lost),
            Category::Video => (&mut self.video, &mut self.video_lost),
            Category::BestEffort => (&mut self.best_effort, &mut self.best_effort_lost),
            Category::Background => (&mut self.background, &mut self.background_lost),
        };
        *through += Fates::packets(&fates.done) as u64;
        *lost += Fates::packets(&fates.lost) as u64;
    }
}
