// Guest: a function package in Rust that reads the skills it was given: `list_skills()` names the folders of /skills with
// the first line of their SKILL.md, `read_skill({name, file})` gives a file of one (SKILL.md by default).
#[path = "../../../../guests/rust/sallyport_package.rs"]
mod sallyport_package;

use sallyport_package::{serve, Json, Outcome, Tool};
use std::fs;

fn list_skills(_: &Json, outcome: &mut Outcome) {
    let mut names: Vec<String> = match fs::read_dir("/skills") {
        Ok(entries) => entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect(),
        Err(error) => return outcome.fail(&format!("the skills cannot be listed: {error}")),
    };
    names.sort();
    let mut skills = Vec::new();
    for name in names {
        let text = fs::read_to_string(format!("/skills/{name}/SKILL.md")).unwrap_or_default();
        let first = text.lines().next().unwrap_or("").trim_start_matches('#').trim().to_string();
        outcome.add_text(&format!("{name}: {first}"));
        skills.push(Json::Object(vec![
            ("name".to_string(), Json::Text(name)),
            ("about".to_string(), Json::Text(first)),
        ]));
    }
    if skills.is_empty() {
        outcome.add_text("There are no skills.");
    }
    outcome.set_structured(Json::Object(vec![("skills".to_string(), Json::Array(skills))]));
}

fn read_skill(args: &Json, outcome: &mut Outcome) {
    let name = match args.get("name").text() {
        Some(name) if !name.is_empty() && !name.contains('/') => name,
        _ => return outcome.fail("name must be the name of a skill"),
    };
    let file = args.get("file").text().unwrap_or("SKILL.md");
    match fs::read_to_string(format!("/skills/{name}/{file}")) {
        Ok(text) => outcome.add_text(&text),
        Err(error) => outcome.fail(&format!("{file} of {name} cannot be read: {error}")),
    }
}

fn main() {
    serve(&[
        Tool {
            name: "list_skills",
            description: "Lists the skills that are there.",
            input_schema: r#"{"type":"object","properties":{}}"#,
            output_schema: r#"{"type":"object","properties":{"skills":{"type":"array"}}}"#,
            call: list_skills,
        },
        Tool {
            name: "read_skill",
            description: "Reads a skill, or a file beside it.",
            input_schema: r#"{"type":"object","properties":{"name":{"type":"string"},"file":{"type":"string"}},"required":["name"]}"#,
            output_schema: "",
            call: read_skill,
        },
    ]);
}
