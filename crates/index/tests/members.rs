//! Names in languages whose files do not say which file a name comes from: Fennel, Janet and Hy.
#![allow(clippy::unwrap_used)]

#[path = "common/ledger.rs"]
mod common;

use common::check;

#[test]
fn a_member_of_any_value_may_be_the_name() {
    let shop = "(local M {})\n(fn M.net [row] (* row.price 2))\n(fn helper [x] x)\n(fn M.total [rows]\n  (+ (M.net rows) (helper 1)))\nM\n";
    let main = "(local shop (require :shop))\n(print (shop.total []))\n(local {: net} (require :shop))\n";
    let files = [("shop.fnl", shop), ("main.fnl", main)];
    check(&files, "helper", "shop.fnl:5:20: call in fn M.total");
    check(
        &files,
        "M.net",
        "shop.fnl:5:7: call in fn M.total
         main.fnl:3:11: possible, part of a longer name in local {: net}",
    );
    check(&files, "M.total", "main.fnl:2:14: possible, part of a longer name in print (shop.total [])");
}

#[test]
fn a_name_that_another_file_does_not_define_may_come_from_here() {
    let shop = "(defn net [row] (row :price))\n(defn total [rows] (sum (map net rows)))\n";
    let main = "(import ./shop :as shop)\n(use ./shop)\n(print (shop/total @[]) (net {}))\n# total\n";
    check(
        &[("shop.janet", shop), ("main.janet", main)],
        "total",
        "main.janet:3:14: possible, part of a longer name in print (shop/total @[])
         main.janet:4:3: mention, comments in top level",
    );
    check(
        &[("shop.janet", shop), ("main.janet", main)],
        "net",
        "shop.janet:2:30: value in defn total
         main.janet:3:26: possible, loaded in a way that is not known in print (shop/total @[])",
    );
}

#[test]
fn fields_of_strings_are_strings() {
    let text = "(defn [cached] area [x #^ int [y 1]]\n  \"Doc.\"\n  (* x y))\n(print f\"{(area 1)}\" (area 2))\n";
    check(
        &[("a.hy", text)],
        "area",
        "a.hy:4:23: call in print f\"{(area 1)}\"
         a.hy:4:12: mention, strings in print f\"{(area 1)}\"",
    );
}
