//! Renames of keywords.
#![allow(clippy::unwrap_used)]

mod common;

use common::{refused, renamed};
use lispwright_refactor::MentionKind;

/// Renames a keyword; the project is then `expected`.
#[track_caller]
fn check(project: &str, old: &str, new: &str, also: &[MentionKind], expected: &str) {
    let (done, found) = renamed_in(project, old, new, also);
    assert_eq!(found, expected, "{done}");
}

fn renamed_in(project: &str, old: &str, new: &str, also: &[MentionKind]) -> (String, String) {
    let (done, found) = renamed(project, old, new, also);
    (format!("{done:?}"), found)
}

#[test]
fn a_keyword_of_a_namespace_changes_however_it_is_written() {
    let project = "== shop/core.clj
(ns shop.core (:require [clojure.spec.alpha :as s]))
(s/def ::id int?)
(defn f [m] (list (::id m) (:shop.core/id m) (:id m) #:shop.core{:id 1 :name :id} #::{:id 2} {:_/id 1}))
== shop/use.clj
(ns shop.use (:require [shop.core :as c]))
(defn g [m] (list ::c/id ::id #::c{:id 1} '[:shop.core/id] #_:shop.core/id)) ; :shop.core/id
== data.edn
{:shop.core/id 3 :id 4}
";
    let expected = "== shop/core.clj
(ns shop.core (:require [clojure.spec.alpha :as s]))
(s/def ::number int?)
(defn f [m] (list (::number m) (:shop.core/number m) (:id m) #:shop.core{:number 1 :name :id} #::{:number 2} {:_/id 1}))
== shop/use.clj
(ns shop.use (:require [shop.core :as c]))
(defn g [m] (list ::c/number ::id #::c{:number 1} '[:shop.core/number] #_:shop.core/id)) ; :shop.core/id
== data.edn
{:shop.core/number 3 :id 4}
";
    check(project, ":shop.core/id", "number", &[], expected);
    check(project, ":shop.core/id", ":shop.core/number", &[], expected);
}

#[test]
fn variables_that_are_taken_out_of_maps_keep_their_names() {
    check(
        "== a.clj
(ns shop.core)
(defn f [{:keys [shop.core/id name] :as m}] (list id name m))
(defn g [{::keys [name id]}] (str id name))
(defn h [{:shop.core/keys [id] :or {id 1}}] id)
(defn i [{:keys [id]}] id)
(defn j [{:keys [::id]}] id)
",
        ":shop.core/id",
        "number",
        &[],
        "== a.clj
(ns shop.core)
(defn f [{:keys [name] :as m id :shop.core/number}] (list id name m))
(defn g [{::keys [name] id ::number}] (str id name))
(defn h [{:shop.core/keys [] :or {id 1} id :shop.core/number}] id)
(defn i [{:keys [id]}] id)
(defn j [{:keys [] id ::number}] id)
",
    );
}

#[test]
fn a_keyword_without_a_namespace_changes_only_when_it_is_asked_for() {
    let project = "== a.clj
(ns a)
(defn f [{:keys [id]}] (assoc {:id id} :name 1 ::id 2))
";
    refused(project, ":id", "number", "cannot tell a.clj:2:18, a.clj:2:33: keyword");
    check(
        project,
        ":id",
        "number",
        &[MentionKind::Keyword],
        "== a.clj
(ns a)
(defn f [{:keys [] id :number}] (assoc {:number id} :name 1 ::id 2))
",
    );
}

#[test]
fn keywords_that_code_makes_and_names_that_are_taken_are_refused() {
    refused(
        "== a.clj
(ns a)
(def x [::id (keyword \"a\" \"id\")])
",
        ":a/id",
        "number",
        "cannot tell a.clj:2:28: looked up by name",
    );
    refused(
        "== a.clj
(ns a (:require [clojure.spec.alpha :as s]))
(s/def ::m (s/keys :req-un [::id]))
",
        "::id",
        "number",
        "not defined; nearest ",
    );
    refused(
        "== a.clj
(ns a)
(defn f [e] [(:clojure.error/phase e) (:user/phase e)])
",
        ":clojure.error/phase",
        "stage",
        "of a library a.clj:2:30",
    );
    refused(
        "== a.clj
(ns a)
(def x [::id ::number])
",
        "::id",
        "number",
        ":a/number collides a.clj:2:16: a/:a/id",
    );
}

#[test]
fn a_keyword_of_the_file_is_known_if_one_file_has_it() {
    check(
        "== a.clj
(ns a (:require [clojure.spec.alpha :as s]))
(s/def ::id int?)
(def x [:a/id])
",
        "::id",
        "number",
        &[],
        "== a.clj
(ns a (:require [clojure.spec.alpha :as s]))
(s/def ::number int?)
(def x [:a/number])
",
    );
}
