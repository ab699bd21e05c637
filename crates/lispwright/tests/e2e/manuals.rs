//! `docs_lookup` and `lispwright docs`: what manuals say, in each dialect, and what is said where there is none.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, Session, binary, cache, server_command};
use crate::project::Project;

/// A page in the shape of those of the HyperSpec.
fn page(title: &str, text: &str) -> String {
    format!(
        "<HTML><HEAD><TITLE>CLHS: {title}</TITLE></HEAD><BODY>\n<H1><A REL=TOP HREF=\"../Front/index.htm\"><IMG ALT=\"[Home]\"></A></H1>\n\
         <HR>\n{text}\n<HR>\n<A HREF=\"01_.htm\"><IMG ALT=\"[Up]\"></A>Copyright of nobody.\n</BODY></HTML>"
    )
}

/// A project with a copy of a few pages in it, one of them a link to a file beside the project.
fn project() -> Project {
    let project = Project::new();
    project.file("lispwright.toml", "[common-lisp]\nhyperspec = \"clhs\"\n");
    project.file(
        "farm.lisp",
        "(in-package :farm)\n(defun crop (x &optional y)\n  \"Grows X.\n\nOr Y.\"\n  x)\n(defun plough ())\n",
    );
    let car = "<A NAME=\"car\"></A><I>Toy</I> <B>CAR</B><P>\n<P><B>Syntax:</B><P>\n<B>car</B> <I>x =&gt; y</I><P>\n\
               <P><B>Description:</B><P>\nTakes a toy &amp; gives its half.\n<PRE>\n (car toy)\n</PRE>";
    project.file("clhs/Body/f_car_c.htm", page("Toy CAR", car));
    let loop_text = format!("<B>Syntax:</B><P>loop<P>{}", "Round and round.\n<P>".repeat(1000));
    project.file("clhs/Body/m_loop.htm", page("Macro LOOP", &loop_text));
    project.file("clhs/Body/22_c.htm", page("Section 22.3", "<H2>22.3 Toys that print</H2>\nThey print."));
    std::fs::write(project.beside("secret.htm"), page("Secret", "The secret text.")).unwrap();
    project.link("clhs/Body/f_cons.htm", project.beside("secret.htm"));
    project
}

fn session() -> Session {
    Session::on_with_sets(project(), "default,docs")
}

/// The one entry of an answer.
#[track_caller]
fn only(fields: &Value) -> &Value {
    let entries = fields["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{fields}");
    &entries[0]
}

#[test]
fn the_hyperspec_has_an_address_and_where_a_copy_is_its_text() {
    let mut session = session();
    for query in ["car", "CL:CAR", "#'car", "(setf car)"] {
        let found = session.ok("docs_lookup", json!({ "query": query }));
        let path = session.project.at("clhs/Body/f_car_c.htm");
        let url = "https://www.lispworks.com/documentation/HyperSpec/Body/f_car_c.htm";
        let expected = format!(
            "[Common Lisp HyperSpec] car (Toy CAR)\n{url}\n{}\nToy CAR\n\nSyntax:\n\ncar x => y\n\nDescription:\n\n\
             Takes a toy & gives its half.\n\n\n (car toy)",
            path.display()
        );
        assert_eq!(found.text, expected);
        let entry = only(&found.fields);
        assert_eq!((&entry["dialect"], &entry["url"]), (&json!("common-lisp"), &json!(url)));
    }
    let brief = session.ok("docs_lookup", json!({ "query": "car", "brief": true }));
    assert_eq!(only(&brief.fields)["content"], "Toy CAR\n\nSyntax:\n\ncar x => y");
    let bare = session.ok("docs_lookup", json!({ "query": "car", "include_content": false }));
    assert!(only(&bare.fields).get("content").is_none() && !bare.text.contains("half"), "{}", bare.text);
    let section = session.ok("docs_lookup", json!({ "query": "section 22.3" }));
    assert_eq!(only(&section.fields)["content"], "22.3 Toys that print\n\nThey print.");
    let directive = session.ok("docs_lookup", json!({ "query": "~A" }));
    assert!(directive.text.contains("/Body/22_cda.htm"), "{}", directive.text);
}

#[test]
fn long_texts_are_read_in_parts_that_join() {
    let mut session = session();
    let whole =
        session.ok("docs_lookup", json!({ "query": "loop", "limit": 40000 })).fields["entries"][0]["content"].clone();
    let (mut joined, mut offset) = (String::new(), 0);
    loop {
        let part = session.ok("docs_lookup", json!({ "query": "loop", "limit": 7001, "offset": offset }));
        joined += only(&part.fields)["content"].as_str().unwrap();
        if part.fields["truncated"] == false {
            break;
        }
        offset += 7001;
        let next = format!("docs_lookup {{\"query\": \"loop\", \"offset\": {offset}}}");
        assert!(part.text.ends_with(&next), "{}", part.text);
    }
    assert_eq!(whole, joined);
    assert!(joined.len() > 15_000, "{}", joined.len());
}

#[test]
fn a_configuration_leads_to_no_file_elsewhere() {
    let mut session = session();
    let linked = session.ok("docs_lookup", json!({ "query": "cons" }));
    assert!(!linked.text.contains("secret"), "{}", linked.text);
    session.project.file("lispwright.toml", "[common-lisp]\nhyperspec = 3\n");
    session.refused("docs_lookup", json!({ "query": "car" }), "BAD_ARGUMENT", &["lispwright.toml:2"]);
}

#[test]
fn docstrings_of_the_project_are_told_with_their_places() {
    let mut session = session();
    let found = session.ok("docs_lookup", json!({ "query": "crop" }));
    let expected =
        "[common-lisp of the project] crop (function)\nfarm.lisp:2\ncrop (x &optional y)\n\nGrows X.\n\nOr Y.";
    assert_eq!(found.text, expected);
    let brief = session.ok("docs_lookup", json!({ "query": "farm::crop", "brief": true }));
    assert_eq!(only(&brief.fields)["content"], "crop (x &optional y)\n\nGrows X.");
}

#[test]
fn the_manual_of_guile_has_its_procedures() {
    let mut session = Session::with_sets("docs", "farm.scm", "(define (crop x) x)\n");
    let found = session.ok("docs_lookup", json!({ "query": "call/cc" }));
    let first = &found.fields["entries"][0];
    assert_eq!((&first["manual"], &first["dialect"]), (&json!("Guile Reference Manual"), &json!("scheme")));
    let text = first["content"].as_str().unwrap();
    assert!(text.starts_with("Scheme Procedure: call-with-current-continuation proc\n"), "{text}");
    assert!(text.contains("\nCapture the current continuation"), "{text}");
    let node = session.ok("docs_lookup", json!({ "query": "Pattern Matching", "limit": 500 }));
    assert!(node.text.contains("(ice-9 match)") && node.fields["truncated"] == true, "{}", node.text);
    session.refused("docs_lookup", json!({ "query": "call/ccc", "dialect": "guile" }), "BAD_ARGUMENT", &["call/cc"]);
}

#[test]
fn emacs_and_clojure_have_their_docstrings() {
    let mut session = Session::with_sets("docs", "farm.el", "(defun farm-crop (x)\n  \"Grow X.\"\n  x)\n");
    for (query, says) in [
        ("car", "(car LIST)\n\nReturn the car of LIST."),
        ("#'save-excursion", "(save-excursion &rest BODY)\n\nSave point"),
        ("load-path", "List of directories"),
        ("org-table-align", "(org-table-align)\n\nAlign the table"),
        ("farm-crop", "farm.el:1\nfarm-crop (x)\n\nGrow X."),
    ] {
        let found = session.ok("docs_lookup", json!({ "query": query }));
        assert!(found.text.contains(says), "{query}: {}", found.text);
        assert!(!found.text.contains("HyperSpec"), "{query} is asked in the project's dialect: {}", found.text);
    }
    // What the project's dialect does not know is looked up in the others.
    for (query, says) in [
        ("clojure.string/join", "[Clojure] clojure.string/join (function)"),
        ("str/join", "Returns a string of all elements in coll"),
        ("monitor-enter", "[Clojure] monitor-enter (special form)"),
    ] {
        let found = session.ok("docs_lookup", json!({ "query": query }));
        assert!(found.text.contains(says), "{query}: {}", found.text);
    }
    let given = session.ok("docs_lookup", json!({ "query": "map", "dialect": "clojure" }));
    let text = only(&given.fields)["content"].as_str().unwrap();
    assert!(text.starts_with("(map [f] | [f coll] |") && text.contains("lazy sequence"), "{text}");
}

#[test]
fn all_dialects_answer_where_the_project_has_none() {
    let mut session = Session::with_sets("docs", "notes.txt", "nothing\n");
    let found = session.ok("docs_lookup", json!({ "query": "let", "include_content": false }));
    let dialects: Vec<&str> =
        found.fields["entries"].as_array().unwrap().iter().map(|entry| entry["dialect"].as_str().unwrap()).collect();
    let mut grouped = dialects.clone();
    grouped.dedup();
    let mut each = grouped.clone();
    each.sort_unstable();
    each.dedup();
    assert_eq!((grouped.len(), each.len()), (4, 4), "{dialects:?}");
}

#[test]
fn what_nobody_knows_is_refused_with_where_was_looked() {
    let mut session = session();
    let says = ["handler-cas is not in Common Lisp HyperSpec", "Nearest: handler-case", "docstrings of 1 file"];
    session.refused("docs_lookup", json!({ "query": "handler-cas", "dialect": "common-lisp" }), "BAD_ARGUMENT", &says);
    for query in
        ["27.1", "22.9", "no-such-name-anywhere", "plough", "a\nb", &"x".repeat(5000), "\u{0}", "../../etc/passwd", "'"]
    {
        let answer = session.client.call("docs_lookup", json!({ "query": query, "dialect": "common-lisp" }));
        assert!(answer.is_error == (query != "'") && answer.text.len() < 1000, "{query}: {}", answer.text);
    }
    session.refused("docs_lookup", json!({ "query": " " }), "BAD_ARGUMENT", &["query"]);
    session.refused("docs_lookup", json!({ "query": "car", "dialect": "cobol" }), "BAD_ARGUMENT", &["common-lisp"]);
    // No manual of Racket is looked into: nothing is claimed of one.
    session.refused(
        "docs_lookup",
        json!({ "query": "car", "dialect": "racket" }),
        "BAD_ARGUMENT",
        &["docstrings of 1 file"],
    );
}

#[test]
fn a_manual_that_is_not_installed_is_named_with_its_package() {
    let project = Project::new();
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "docs"]).env("INFOPATH", project.root()).env("HOME", project.beside("home"));
    let mut session = Session { client: Client::connect(command), project };
    let says = ["guile-3.0-doc", "R7RS"];
    session.refused("docs_lookup", json!({ "query": "call/cc", "dialect": "scheme" }), "BAD_ARGUMENT", &says);
    let info = "Toy.\n\x1f\nFile: r7rs.info,  Node: Top\n\nToy\n\x1f\nFile: r7rs.info,  Node: Toys,  Up: Top\n\n \
                -- procedure: toy x\n     Makes a toy.\n\x1f\nFile: r7rs.info,  Node: Index\n\n* Menu:\n\n\
                * toy:   Toys.  (line 4)\n\x1f\nTag Table:\nNode: Top\x7f0\nNode: Toys\x7f0\nNode: Index\x7f0\n\x1f\nEnd Tag Table\n";
    session.project.file("r7rs.info", info);
    let found = session.ok("docs_lookup", json!({ "query": "toy" }));
    assert_eq!(only(&found.fields)["content"], "procedure: toy x\nMakes a toy.");
    assert_eq!(only(&found.fields)["manual"], "R7RS");
}

#[test]
fn it_is_offered_to_readers_and_answers_under_other_names() {
    let project = project();
    let mut command = server_command(&project.root());
    command.args(["--toolsets", "docs", "--read-only"]);
    let mut client = Client::connect(command);
    for name in ["clhs_lookup", "clhs-lookup", "mcp__cl-mcp__clhs-lookup", "docs-lookup"] {
        let found = client.call(name, json!({ "query": "car" }));
        assert!(found.text.starts_with("[Common Lisp HyperSpec] car"), "{name}: {}", found.text);
    }
    let searched = client.call("search-documentation", json!({ "query": "crop" }));
    assert!(searched.text.contains("Grows X."), "{}", searched.text);
}

#[test]
fn the_command_says_the_same() {
    let project = project();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(binary());
        command.arg("docs").args(arguments).current_dir(project.root()).env("XDG_CACHE_HOME", cache());
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (code, text, _) = run(&["car"]);
    assert!(code == 0 && text.starts_with("[Common Lisp HyperSpec] car (Toy CAR)\n"), "{text}");
    let (code, text, _) = run(&["car", "--dialect", "clojure", "--json"]);
    assert_eq!(code, 1, "{text}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["code"], "BAD_ARGUMENT");
    let (_, text, _) = run(&["22.3", "--brief", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&only(&document)["is_section"], &only(&document)["content"]),
        (&json!(true), &json!("22.3 Toys that print"))
    );
    let (code, text, _) = run(&["loop", "--limit", "400"]);
    assert!(code == 0 && text.contains("lispwright docs loop --offset 400"), "{text}");
    let (code, text, _) = run(&["-", "--no-content"]);
    assert!(code == 0 && text.contains("/Body/a__.htm"), "{text}");
    let elsewhere =
        Command::new(binary()).args(["docs", "car", "--dialect", "elisp"]).current_dir("/").output().unwrap();
    assert!(String::from_utf8_lossy(&elsewhere.stdout).contains("Return the car of LIST"), "{elsewhere:?}");
    let (code, _, error) = run(&["no-such-name-anywhere"]);
    assert!(code == 1 && error.contains("no-such-name-anywhere is not in "), "{error}");
    let (_, help, _) = run(&["--help"]);
    assert!(help.contains("lispwright docs handler-case"), "{help}");
}
