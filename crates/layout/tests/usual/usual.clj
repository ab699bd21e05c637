(ns shop.core
  "Doc."
  (:require [clojure.string :as str]
            [clojure.set :as set])
  (:import (java.util Date
                      UUID))
  (:gen-class))

(defn price
  ([a] (price a 1))
  ([a b]
   (cond-> a
     b (+ b))))

(defrecord A [x]
  P
  (foo [this]
    (let [{:keys [a
                  b]} this]
      (case a
        :x 1
        2)))
  (bar [this y] y))

(deftest t
  (testing "x"
    (is (= 1
           2)))
  (are [x y] (= x y)
    1 1
    2 2))

(def m {:a 1
        :b {:c 2
            :d 3}})

(defprotocol P
  (foo [this] "x")
  (bar [this y]))

(->> xs
     (map inc)
     (filter odd?))

(some-fn a
         b)
(if-let [x 1]
  x
  2)
(try
  (foo)
  (catch Exception e
    (bar e))
  (finally
    (baz)))
(doto (Foo.)
  (.a)
  (.b))
(with-open [r x]
  r)
(fn [x]
  x)
(go-loop [x 1]
  (recur x))
(condp = x
  1 2
  3 4)
