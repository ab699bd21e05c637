//! The meanings of names in the owner's image, their definitions and references.

use lispwright_runtime::*;

use crate::lab::{Lab, lab, runtime};
use crate::server::Server;

const FARM: &str = r#"(defpackage :farm (:use :cl) (:export #:area #:*scale*))
(in-package :farm)

(defvar *scale* 2 "The scale.")

(defmacro scaled (x) "Scaled X." `(* ,x *scale*))

(defclass shape () ((name :initarg :name)) (:documentation "A shape."))
(defclass circle (shape) ())

(defgeneric area (shape &key scale) (:documentation "The area."))
(defmethod area ((s circle) &key (scale 1)) (scaled scale))

(defun total (shapes)
  "Total area."
  (reduce #'+ (mapcar (lambda (shape) (area shape)) shapes)))
"#;

/// An image into which its owner has loaded the farm.
async fn farm() -> (Server, Lab, String) {
    let lab = lab();
    let file = lab.directory.path().join("farm.lisp");
    std::fs::write(&file, FARM).unwrap();
    let server = Server::start(&format!("(load (compile-file {file:?}))"));
    lab.attach(MAIN, FoundServer::known(server.address, runtime("swank"))).await.unwrap();
    (server, lab, file.display().to_string())
}

async fn described(lab: &Lab, name: &str) -> Description {
    let request = Request::Describe(Describe { name: name.to_owned(), package: None, limit: 1000 });
    match lab.call(MAIN, request, &Default::default()).await.unwrap().ending {
        Ending::Described(description) => description,
        other => panic!("{name}: {other:#?}"),
    }
}

#[tokio::test]
async fn a_name_is_described_with_its_place() {
    let (_server, lab, file) = farm().await;
    let total = described(&lab, "farm::total").await;
    assert_eq!((total.name.as_str(), total.exported), ("FARM::TOTAL", Some(false)));
    let meaning = &total.meanings[0];
    assert_eq!((meaning.kind.as_str(), meaning.arglist.as_deref()), ("function", Some("(shapes)")), "{meaning:#?}");
    assert_eq!(meaning.documentation.as_deref(), Some("Total area."));
    assert_eq!((meaning.file.as_deref(), meaning.line), (Some(file.as_str()), Some(14)));
    for (name, kind, line) in [
        ("farm:*scale*", "special variable", 4),
        ("farm::scaled", "macro", 6),
        ("farm::shape", "class", 8),
        ("farm:area", "generic function", 11),
    ] {
        let description = described(&lab, name).await;
        let meaning = &description.meanings[0];
        assert_eq!((meaning.kind.as_str(), meaning.line), (kind, Some(line)), "{name}: {meaning:#?}");
    }
    let area = described(&lab, "farm:area").await;
    let method = area.meanings.iter().find(|meaning| meaning.kind == "method").unwrap();
    assert_eq!((method.name.as_str(), method.line), ("area (circle)", Some(12)));
    let circle = described(&lab, "farm::circle").await;
    assert!(circle.meanings[0].facts.contains(&("superclasses".to_owned(), "(shape)".to_owned())), "{circle:#?}");
}

#[tokio::test]
async fn looking_for_a_name_does_not_intern_it() {
    let (_server, lab, _) = farm().await;
    assert_eq!(described(&lab, "total").await.name, "FARM::TOTAL", "it is found in the one package that has it");
    let request = Request::Describe(Describe { name: "farm::totl".to_owned(), package: None, limit: 1000 });
    let report = lab.call(MAIN, request, &Default::default()).await.unwrap();
    assert!(matches!(&report.ending, Ending::Refused(_)), "{:#?}", report.ending);
    assert_eq!(lab.values("(find-symbol \"TOTL\" :farm)").await, "NIL ; NIL");
}

#[tokio::test]
async fn references_to_a_name_have_their_places() {
    let (_server, lab, file) = farm().await;
    let references = async |name: &str| {
        let request = Request::References(ListReferences { name: name.to_owned(), package: None });
        match lab.call(MAIN, request, &Default::default()).await.unwrap().ending {
            Ending::References(references) => references.references,
            other => panic!("{name}: {other:#?}"),
        }
    };
    let calls = references("farm:area").await;
    let call = calls.iter().find(|reference| reference.kind == "call").unwrap();
    assert_eq!((call.name.as_str(), call.file.as_deref(), call.line), ("total", Some(file.as_str()), Some(16)));
    let uses = references("farm:*scale*").await;
    assert!(uses.iter().any(|reference| reference.kind == "reference" && reference.name.contains("area")), "{uses:#?}");
    assert!(references("farm::scaled").await.iter().any(|reference| reference.kind == "macroexpansion"));
    assert!(references("farm::total").await.is_empty());
}
