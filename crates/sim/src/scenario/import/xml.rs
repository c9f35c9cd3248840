//! XML, element by element: nothing of a document is kept, and no stack grows with its depth.

use super::super::ScenarioError;
use super::super::tree::LayerSource;
use super::track::wrong;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader, XmlVersion};
use std::borrow::Cow;
use std::sync::Arc;

/// What comes next in a document.
pub(super) enum Part<'a> {
    /// An element begins.
    Begin(Element<'a>),
    /// The innermost element ends.
    End,
}

/// An element: its tag, and the line on which it begins.
pub(super) struct Element<'a> {
    tag: BytesStart<'a>,
    pub(super) line: u32,
}

/// The elements of a document, in its order.
pub(super) struct Document<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    source: &'a Arc<LayerSource>,
    /// A byte of the text, and the line that it stands on.
    at: (usize, u32),
    /// How many elements have begun and not ended, and whether any has begun.
    open: u64,
    begun: bool,
}

impl<'a> Document<'a> {
    pub(super) fn new(text: &'a str, source: &'a Arc<LayerSource>) -> Self {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader, source, at: (0, 1), open: 0, begun: false }
    }

    /// The next part; none after the last one.
    pub(super) fn next(&mut self) -> Result<Option<Part<'a>>, ScenarioError> {
        loop {
            let begins = self.position(self.reader.buffer_position());
            let event = self.reader.read_event();
            match event {
                Ok(Event::Start(tag)) => {
                    if self.open == 0 && self.begun {
                        let line = self.line(begins);
                        return Err(wrong(
                            self.source,
                            line,
                            "not valid XML: a second element follows the first one",
                        ));
                    }
                    (self.open, self.begun) = (self.open + 1, true);
                    return Ok(Some(Part::Begin(Element { tag, line: self.line(begins) })));
                }
                Ok(Event::End(_)) => {
                    self.open -= 1; // the reader has refused those that close nothing
                    return Ok(Some(Part::End));
                }
                Ok(Event::Eof) if self.open == 0 && self.begun => return Ok(None),
                Ok(Event::Eof) | Err(Error::Syntax(_)) => return Err(self.cut_off()),
                Ok(Event::Text(text)) if self.open == 0 && !text.trim().is_empty() => {
                    let line = self.line(begins + text.len() - text.trim_start().len());
                    return Err(wrong(
                        self.source,
                        line,
                        "not valid XML: text stands outside of the elements",
                    ));
                }
                Ok(_) => {}
                Err(error) => {
                    let line = self.line(self.position(self.reader.error_position()));
                    return Err(wrong(self.source, line, format!("not valid XML: {error}")));
                }
            }
        }
    }

    fn cut_off(&self) -> ScenarioError {
        let last = u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX).max(1);
        wrong(self.source, last, "the file ends here, within its XML")
            .help("it has been cut off, or is still being written")
    }

    fn position(&self, offset: u64) -> usize {
        usize::try_from(offset).unwrap_or(usize::MAX).min(self.text.len())
    }

    /// The line of a byte.
    fn line(&mut self, offset: usize) -> u32 {
        let (from, line) = if offset < self.at.0 { (0, 1) } else { self.at };
        let more = self.text.as_bytes()[from..offset].iter().filter(|&&byte| byte == b'\n').count();
        self.at = (offset, line.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)));
        self.at.1
    }
}

impl Element<'_> {
    /// Its name, without a prefix.
    pub(super) fn name(&self) -> &str {
        self.tag.local_name().into_inner()
    }

    /// The values of the attributes with these names.
    pub(super) fn attributes<const N: usize>(
        &self,
        names: [&str; N],
        source: &Arc<LayerSource>,
    ) -> Result<[Option<Cow<'_, str>>; N], ScenarioError> {
        let invalid = |why: String| wrong(source, self.line, format!("not valid XML: {why}"));
        let mut found = [const { None }; N];
        let mut attributes = self.tag.attributes();
        attributes.with_checks(false); // compares each with all before it
        for attribute in attributes {
            let attribute = attribute.map_err(|error| invalid(error.to_string()))?;
            let Some(place) = names.iter().position(|name| attribute.key.as_ref() == *name) else { continue };
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| invalid(error.to_string()))?;
            if found[place].replace(value).is_some() {
                return Err(invalid(format!("<{}> has two attributes `{}`", self.name(), names[place])));
            }
        }
        Ok(found)
    }
}
