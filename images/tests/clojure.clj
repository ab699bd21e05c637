;; Tests of the functions that bring an image of Clojure to the state of the files.
;;
;; clojure images/tests/clojure.clj
(ns lispwright.image-tests
  (:require [clojure.test :refer [deftest is run-tests]])
  (:import (clojure.lang Compiler DynamicClassLoader)
           (java.io File)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)))

(binding [*ns* (create-ns 'lispwright.image)]
  (refer 'clojure.core)
  (let [images (.getParentFile (.getParentFile (.getAbsoluteFile (File. ^String *file*))))]
    (load-string (apply str (map (fn [part] (slurp (File. images (str "clojure/" part ".clj")))) ["journal" "renewal"])))))

(def root (str (Files/createTempDirectory "lispwright" (make-array FileAttribute 0))))

(defn path [file] (str root "/" file))

(defn write [file text]
  (let [file (File. ^String (path file))]
    (.mkdirs (.getParentFile file))
    (spit file text)))

(defn ask
  "The value of a form in the image, with the project on the class path."
  [form]
  (with-bindings {#'*ns* *ns*
                  Compiler/LOADER (doto (DynamicClassLoader.) (.addURL (.toURL (.toURI (File. ^String root)))))}
    (eval form)))

(defn bring
  "Loads a file after the stale ones, each with the names of changed variables; returns what is told, as data."
  [file & stale]
  (let [stale (vec (for [[file & variables] stale] [(path file) true (vec variables)]))
        failure (try (ask (list 'lispwright.image/bring-to-files {:path (path file) :force false :stale stale :gone []}))
                     (catch Throwable thrown {:thrown (ex-message (or (ex-cause thrown) thrown))}))]
    (merge (apply hash-map (read-string (ask '(lispwright.image/told)))) failure)))

(defn states []
  (into {} (for [[file state] (second (read-string (ask (list 'lispwright.image/loaded-files [root]))))]
             [(subs file (inc (count root))) state])))

(deftest what-left-a-file-leaves-the-image
  (write "one/base.clj" "(ns one.base)\n(defn f [] 1)\n(defn helper [] 1)\n(defonce state (atom 1))\n(defmulti area class)\n(defmethod area Long [_] 1)")
  (write "one/core.clj" "(ns one.core (:require [one.base :as b]))\n(defn all [] [(b/f) (b/helper)])")
  (is (= [(path "one/base.clj") (path "one/core.clj")] (:LOADED (bring "one/core.clj"))))
  (ask '(do (in-ns 'one.base) (clojure.core/defn mine [] (f))))
  (write "one/base.clj" "(ns one.base)\n(defn f [] 2)\n(defonce state (atom 2))\n(defmulti area class)")
  (is (= {"one/base.clj" :CHANGED "one/core.clj" :SAME} (select-keys (states) ["one/base.clj" "one/core.clj"])))
  (write "one/core.clj" "(ns one.core (:require [one.base :as b]))\n(defn all [] [(b/f)])")
  (let [told (bring "one/core.clj" ["one/base.clj" ["one.base" "state"]] ["one/core.clj"])]
    (is (= #{["function" "one.base/helper" (path "one/base.clj")] ["method" "one.base/area java.lang.Long" (path "one/base.clj")]}
           (set (:REMOVED told))))
    (is (= ["one.base/state"] (:RESET told))))
  (is (= [[2] 2 2 nil] (ask '[(one.core/all) (one.base/mine) @one.base/state (resolve 'one.base/helper)]))))

(deftest a-value-of-the-user-is-kept-and-told
  (write "two/base.clj" "(ns two.base)\n(defonce state (atom 1))")
  (bring "two/base.clj")
  (ask '(reset! two.base/state 5))
  (write "two/base.clj" "(ns two.base)\n(defonce state (atom 2))")
  (is (= ["two.base/state"] (:KEEPS (bring "two/base.clj" ["two/base.clj" ["two.base" "state"]]))))
  (is (= 5 (ask '@two.base/state))))

(deftest what-files-put-into-each-others-tables-is-given
  (write "ten/base.clj" "(ns ten.base)\n(defonce table (atom #{}))")
  (write "ten/more.clj" "(ns ten.more (:require [ten.base :as b]))\n(swap! b/table conj :a)\n(swap! b/table conj :b)")
  (bring "ten/more.clj")
  (write "ten/more.clj" "(ns ten.more (:require [ten.base :as b]))\n(swap! b/table conj :b)")
  (is (= ["ten.base/table"] (:RESET (bring "ten/more.clj" ["ten/base.clj" ["ten.base" "table"]] ["ten/more.clj"]))))
  (is (= #{:b} (ask '@ten.base/table)))
  (ask '(swap! ten.base/table conj :mine))
  (is (= ["ten.base/table"] (:KEEPS (bring "ten/more.clj" ["ten/base.clj" ["ten.base" "table"]] ["ten/more.clj"]))))
  (is (= ["ten.base/table"] (:KEEPS (bring "ten/more.clj" ["ten/base.clj" ["ten.base" "table"]] ["ten/more.clj"]))))
  (is (= #{:b :mine} (ask '@ten.base/table))))

(deftest a-load-that-fails-leaves-what-was-there
  (write "three/base.clj" "(ns three.base (:require [clojure.string :as s]))\n(defn f [] (s/trim \" 1\"))\n(defrecord R [a])")
  (bring "three/base.clj")
  (write "three/base.clj" "(ns three.base)\n(defn f [] 2)\n(defn half [] 1)\n(throw (ex-info \"no\" {}))")
  (dotimes [_ 2]
    (is (= "no" (:thrown (bring "three/base.clj" ["three/base.clj"]))))
    (is (= ["1" nil 7 true] (ask '[(three.base/f) (resolve 'three.base/half) (:a (three.base/->R 7))
                              (contains? (loaded-libs) 'three.base)])))
    (is (= {"three/base.clj" :CHANGED} (select-keys (states) ["three/base.clj"])))))

(deftest a-namespace-that-needs-what-is-gone-does-not-load
  (write "four/base.clj" "(ns four.base)\n(defn helper [] 1)")
  (write "four/core.clj" "(ns four.core (:require [four.base :as b]))\n(defn f [] (b/helper))")
  (bring "four/core.clj")
  (write "four/base.clj" "(ns four.base)")
  (dotimes [_ 2]
    (is (= ["No such var: b/helper" 'T]
           ((juxt :thrown :AS-FRESH) (bring "four/core.clj" ["four/base.clj"] ["four/core.clj"])))))
  ;; A definition by hand may be the reason.
  (ask '(do (in-ns 'four.base) (def mine 1)))
  (is (nil? (:AS-FRESH (bring "four/core.clj" ["four/base.clj"] ["four/core.clj"]))))
  (write "four/base.clj" "(ns four.base)\n(defn helper [] 3)")
  (is (nil? (:thrown (bring "four/core.clj" ["four/base.clj"] ["four/core.clj"]))))
  (is (= 3 (ask '(four.core/f)))))

(deftest what-was-loaded-by-hand-is-known
  (write "six/base.clj" "(ns six.base)\n(defmulti area class)\n(defmethod area Long [_] 1)\n(defn helper [] 1)\n(derive ::a ::b)")
  (ask '(require 'six.base))
  (write "six/base.clj" "(ns six.base)\n(defmulti area class)\n(derive ::a ::b)")
  (ask '(require 'six.base :reload))
  (is (= 1 (ask '(six.base/helper))))
  (write "six/base.clj" "(ns six.base)\n(defmulti area class)")
  (bring "six/base.clj" ["six/base.clj"])
  (is (= [nil {} false] (ask '[(resolve 'six.base/helper) (methods six.base/area) (isa? :six.base/a :six.base/b)]))))

(deftest names-that-macros-define-stay
  (write "five/base.clj" "(ns five.base)\n(defmacro thing [name] `(do (def ~name 1) (defn ~(symbol (str name \"-f\")) [] ~name)))\n(thing a)\n(thing b)")
  (bring "five/base.clj")
  (let [var (ask '(var five.base/a))]
    (write "five/base.clj" "(ns five.base)\n(defmacro thing [name] `(do (def ~name 2) (defn ~(symbol (str name \"-f\")) [] ~name)))\n(thing a)")
    (is (= #{"five.base/b" "five.base/b-f"} (set (map second (:REMOVED (bring "five/base.clj" ["five/base.clj"]))))))
    (is (identical? var (ask '(var five.base/a))))
    (is (= 2 @var (ask '(five.base/a-f))))))

(deftest a-file-outside-of-the-class-path-is-found-again
  (write "sub/seven.clj" "(ns seven)\n(defn f [] 1)")
  (write "sub/eight.clj" "(ns eight (:require [seven]))\n(defn f [] (seven/f))")
  (bring "sub/seven.clj")
  (bring "sub/eight.clj")
  (write "sub/seven.clj" "(ns seven)\n(defn f [] 2)")
  (is (= [(path "sub/seven.clj") (path "sub/eight.clj")] (:LOADED (bring "sub/eight.clj" ["sub/seven.clj"] ["sub/eight.clj"]))))
  (is (= 2 (ask '(eight/f)))))

(defn counted
  "A map that runs code when it is asked for a key, and an atom that does when it is asked for its value."
  [questions]
  [(sorted-map-by (fn [one other] (swap! questions inc) (compare one other)) 1 :a 2 :b)
   (reify clojure.lang.IAtom clojure.lang.IDeref (deref [_] (swap! questions inc)))])

(deftest values-of-files-are-not-asked
  (let [questions (atom 0)]
    (intern (create-ns 'ten.values) 'all (counted questions))
    (write "ten/core.clj" "(ns ten.core)\n(def table (first ten.values/all))\n(def place (second ten.values/all))\n(defprotocol P (f [x]))")
    (let [before @questions]
      (is (nil? (:thrown (bring "ten/core.clj"))))
      (is (nil? (:thrown (bring "ten/core.clj" ["ten/core.clj"]))))
      (is (= before @questions))))
  (is (= [true false false]
         (map @(resolve 'lispwright.image/protocol?) [@(resolve 'ten.core/P) (sorted-map 1 2) {:on 1}]))))

(deftest mistakes-have-their-line
  (write "nine/base.clj" "(ns nine.base)\n\n(defn f []\n  (inc gone))")
  (let [data (try (ask (list 'lispwright.image/bring-to-files {:path (path "nine/base.clj") :force true :stale [] :gone []}))
                  (catch Throwable thrown (ex-data thrown)))]
    (is (= [4 :compile-syntax-check (path "nine/base.clj")]
           [(:clojure.error/line data) (:clojure.error/phase data) (:clojure.error/source data)]))))

(let [{:keys [fail error]} (run-tests)]
  (if (= 0 fail error)
    (println "all passed")
    (System/exit 1)))
