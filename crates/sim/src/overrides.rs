//! What one flow or some nodes have otherwise than a section says.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::IgnoredAny};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Values of a section for one flow or some nodes. What is not said is as the section has it, whatever layer that came
/// from; so only what is said is written down again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override<T> {
    said: Map<String, Value>,
    /// All values, settled.
    pub settled: T,
}

impl<T: Serialize> Override<T> {
    /// The settled values. Those under `keys` were said.
    pub(crate) fn new<'a>(settled: T, keys: impl IntoIterator<Item = &'a str>) -> Self {
        let all = serde_json::to_value(&settled).unwrap_or_default();
        let value = |key: &str| all.get(key).map(|value| (key.to_owned(), value.clone()));
        Self { said: keys.into_iter().filter_map(value).collect(), settled }
    }

    /// Whether this key was said.
    #[must_use]
    pub fn says(&self, key: &str) -> bool {
        self.said.contains_key(key)
    }
}

impl<T> Serialize for Override<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.said.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Override<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Leaves the values to the code that knows the section that they are laid over.
pub(crate) fn later<'de, D: Deserializer<'de>, T>(deserializer: D) -> Result<Option<Override<T>>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| None)
}
