//! The schemas of answers, made from the types of the page.
//!
//! `web/src/lib/types.ts` says what the server answers. The page is compiled against it, the schemas of the
//! OpenAPI document are made from it, and the tests compare both with real answers: there is one place where
//! a field is written down. It uses a small part of TypeScript: interfaces, aliases, unions, arrays, tuples,
//! records, and generics of one parameter.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const TYPES: &str = include_str!("../../../web/src/lib/types.ts");

/// The schemas of all types, by name. Those with a parameter stand where they are used.
pub(crate) fn answers() -> Map<String, Value> {
    let types = Parser::new(TYPES).file();
    let plain = types.iter().filter(|(_, it)| it.parameter.is_none());
    plain.map(|(name, it)| (name.clone(), it.body.schema(&types, &BTreeMap::new()))).collect()
}

/// A type that has a name.
#[derive(Debug)]
struct Named {
    parameter: Option<String>,
    body: Type,
}

/// A type as it is written.
#[derive(Clone, Debug)]
enum Type {
    /// A type by its name and arguments.
    Name(String, Vec<Type>),
    /// A text.
    Literal(String),
    Union(Vec<Type>),
    Array(Box<Type>),
    Tuple(Vec<Type>),
    Object {
        /// The interface whose fields it has as well.
        base: Option<String>,
        fields: Vec<Field>,
    },
}

#[derive(Clone, Debug)]
struct Field {
    name: String,
    optional: bool,
    note: Option<String>,
    of: Type,
}

type Types = BTreeMap<String, Named>;

impl Type {
    fn schema(&self, types: &Types, bound: &BTreeMap<String, Value>) -> Value {
        let of = |it: &Type| it.schema(types, bound);
        match self {
            Type::Literal(text) => json!({"type": "string", "const": text}),
            Type::Array(item) => json!({"type": "array", "items": of(item)}),
            Type::Tuple(items) => json!({
                "type": "array",
                "prefixItems": items.iter().map(of).collect::<Vec<_>>(),
                "minItems": items.len(),
                "maxItems": items.len(),
            }),
            Type::Union(parts) => {
                let words = parts.iter().map(|part| match part {
                    Type::Literal(text) => Some(text),
                    _ => None,
                });
                match words.collect::<Option<Vec<_>>>() {
                    Some(words) => json!({"type": "string", "enum": words}),
                    None => json!({"anyOf": parts.iter().map(of).collect::<Vec<_>>()}),
                }
            }
            Type::Object { .. } => {
                let mut fields = Vec::new();
                self.fields(types, &mut fields);
                let mut properties = Map::new();
                for field in &fields {
                    let mut schema = of(&field.of);
                    if let Some(note) = &field.note {
                        schema["description"] = json!(note);
                    }
                    properties.insert(field.name.clone(), schema);
                }
                let required = fields.iter().filter(|field| !field.optional);
                json!({
                    "type": "object",
                    "required": required.map(|field| &field.name).collect::<Vec<_>>(),
                    "properties": properties,
                    "additionalProperties": false,
                })
            }
            Type::Name(name, arguments) => match (name.as_str(), arguments.as_slice()) {
                ("Integer", []) => json!({"type": "integer"}),
                ("number" | "string" | "boolean" | "null", []) => json!({"type": name}),
                ("unknown", []) => json!({}),
                ("Record", [_, value]) => {
                    json!({"type": "object", "additionalProperties": of(value)})
                }
                (name, []) => match bound.get(name) {
                    Some(bound) => bound.clone(),
                    None => {
                        assert!(types.contains_key(name), "types.ts: no type {name}");
                        json!({"$ref": format!("#/components/schemas/{name}")})
                    }
                },
                (name, [argument]) => {
                    let generic = types.get(name);
                    let generic = generic.unwrap_or_else(|| panic!("types.ts: no type {name}"));
                    let parameter = generic.parameter.clone();
                    let parameter = parameter.expect("types.ts: arguments are for a parameter");
                    generic.body.schema(types, &[(parameter, of(argument))].into())
                }
                _ => panic!("types.ts: {name} has too many arguments"),
            },
        }
    }

    /// The fields of an interface, those of its base first.
    fn fields(&self, types: &Types, into: &mut Vec<Field>) {
        if let Type::Object { base, fields } = self {
            if let Some(base) = base.as_ref().and_then(|base| types.get(base)) {
                base.body.fields(types, into);
            }
            into.extend(fields.iter().cloned());
        }
    }
}

/// Reads types from words and signs; notes are those of the comments before a field.
struct Parser {
    words: Vec<String>,
    at: usize,
}

impl Parser {
    fn new(text: &str) -> Parser {
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                '/' => rest.find("*/").map_or(rest.len(), |end| end + 2),
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                c if c.is_alphanumeric() || c == '_' => {
                    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                }
                c => c.len_utf8(),
            };
            let (word, after) = rest.split_at(length);
            if !word.starts_with("//") {
                words.push(word.to_owned());
            }
            rest = after.trim_start();
        }
        Parser { words, at: 0 }
    }

    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.words.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn takes(&mut self, word: &str) -> bool {
        let same = self.peek() == word;
        self.at += usize::from(same);
        same
    }

    fn expect(&mut self, word: &str) {
        let found = self.next();
        assert_eq!(found, word, "types.ts, after {:?}", &self.words[..self.at - 1].last());
    }

    fn note(&mut self) -> Option<String> {
        let note = self.peek().strip_prefix("/**")?.strip_suffix("*/")?.trim().to_owned();
        self.at += 1;
        Some(note)
    }

    fn file(mut self) -> Types {
        let mut types = Types::new();
        while !self.peek().is_empty() {
            let _ = self.note();
            self.expect("export");
            let kind = self.next();
            let name = self.next();
            let parameter = self.takes("<").then(|| {
                let parameter = self.next();
                self.expect(">");
                parameter
            });
            let body = if kind == "interface" {
                let base = self.takes("extends").then(|| self.next());
                self.object(base)
            } else {
                self.expect("=");
                let body = self.union();
                self.expect(";");
                body
            };
            types.insert(name, Named { parameter, body });
        }
        types
    }

    fn object(&mut self, base: Option<String>) -> Type {
        self.expect("{");
        let mut fields = Vec::new();
        while !self.takes("}") {
            let note = self.note();
            let name = self.next();
            let optional = self.takes("?");
            self.expect(":");
            let of = self.union();
            fields.push(Field { name, optional, note, of });
            if !self.takes(";") && self.peek() != "}" {
                self.expect(";");
            }
        }
        Type::Object { base, fields }
    }

    fn union(&mut self) -> Type {
        let _ = self.takes("|");
        let mut parts = vec![self.array()];
        while self.takes("|") {
            parts.push(self.array());
        }
        if parts.len() == 1 { parts.remove(0) } else { Type::Union(parts) }
    }

    fn array(&mut self) -> Type {
        let mut item = self.item();
        while self.takes("[") {
            self.expect("]");
            item = Type::Array(Box::new(item));
        }
        item
    }

    fn item(&mut self) -> Type {
        if self.peek() == "{" {
            return self.object(None);
        }
        if self.takes("(") {
            let inner = self.union();
            self.expect(")");
            return inner;
        }
        if self.takes("[") {
            return Type::Tuple(self.list("]"));
        }
        let word = self.next();
        match word.strip_prefix('"').and_then(|word| word.strip_suffix('"')) {
            Some(text) => Type::Literal(text.to_owned()),
            None => {
                let arguments = if self.takes("<") { self.list(">") } else { Vec::new() };
                Type::Name(word, arguments)
            }
        }
    }

    fn list(&mut self, end: &str) -> Vec<Type> {
        let mut items = Vec::new();
        while !self.takes(end) {
            items.push(self.union());
            if !self.takes(",") {
                self.expect(end);
                break;
            }
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_schemas() {
        let text = r#"
            // A comment.
            export interface Both<T> { oop: T; ip: T }
            export type Player = "oop" | "ip";
            export interface Base {
              /** Its name. */
              name: string;
            }
            export interface View extends Base {
              player: Player | null;
              ev?: Both<number>;
              points: [number, Integer][];
              more: Record<string, boolean>;
            }
        "#;
        let types = Parser::new(text).file();
        let schema = types["View"].body.schema(&types, &BTreeMap::new());
        let number = json!({"type": "number"});
        assert_eq!(schema["required"], json!(["name", "player", "points", "more"]));
        assert_eq!(schema["properties"]["name"]["description"], "Its name.");
        assert_eq!(schema["properties"]["ev"]["properties"], json!({"oop": number, "ip": number}));
        assert_eq!(
            schema["properties"]["player"],
            json!({"anyOf": [{"$ref": "#/components/schemas/Player"}, {"type": "null"}]})
        );
        let pair = json!([number, {"type": "integer"}]);
        assert_eq!(schema["properties"]["points"]["items"]["prefixItems"], pair);
        assert_eq!(
            schema["properties"]["more"]["additionalProperties"],
            json!({"type": "boolean"})
        );
        let player = types["Player"].body.schema(&types, &BTreeMap::new());
        assert_eq!(player, json!({"type": "string", "enum": ["oop", "ip"]}));
    }
}
