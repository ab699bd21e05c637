;; Runs the tests of a namespace with clojure.test, and tells what became of each assertion, as text in the notation of
;; the wire. A function of the namespace's name and of the names of the tests that count, all when there are none.
;; Runs on the JVM and in Babashka; nothing is defined.
(fn [space wanted]
  (require 'clojure.test)
  (let [quoted (fn [text]
                 (let [text (str text)
                       text (if (> (count text) 2000) (str (subs text 0 2000) " ...") text)]
                   (str \" (.replace (.replace ^String text "\\" "\\\\") "\"" "\\\"") \")))
        shown (fn [value]
                (if (instance? Throwable value)
                  (str (.getName (class value)) ": " (.getMessage ^Throwable value))
                  (try (binding [*print-length* 50 *print-level* 8] (pr-str value))
                       (catch Throwable e (str "cannot be printed: " (.getMessage e))))))
        named? (fn [test]
                 (or (empty? wanted)
                     (some #{(str (:name (meta test))) (str space "/" (:name (meta test)))} wanted)))
        tests (->> (vals (ns-interns space)) (filter (comp :test meta)) (filter named?)
                   (sort-by (juxt (comp :line meta) (comp str :name meta))))
        counts (atom {:pass 0 :fail 0 :error 0})
        failed (atom [])
        report (fn [result]
                 (when (contains? @counts (:type result))
                   (swap! counts update (:type result) inc))
                 (when (and (contains? #{:fail :error} (:type result)) (< (count @failed) 100))
                   (let [test (first @(resolve 'clojure.test/*testing-vars*))
                         file (:file (meta test))
                         url (when file (try ((resolve 'clojure.java.io/resource) file) (catch Throwable _ nil)))
                         path (if (and url (= "file" (.getProtocol ^java.net.URL url))) (.getPath ^java.net.URL url) file)
                         line (if (= (:type result) :fail) (:line result) (:line (meta test)))
                         contexts (apply str (interpose " " (reverse @(resolve 'clojure.test/*testing-contexts*))))]
                     (swap! failed conj
                            (str "(:NAME " (quoted (if test (:name (meta test)) space))
                                 " :DESCRIPTION " (quoted contexts)
                                 " :REASON " (quoted (str (when (= :error (:type result)) "error: ")
                                                          (or (:message result)
                                                              (when (= :error (:type result)) (shown (:actual result)))
                                                              "the assertion does not hold")))
                                 " :FORM " (quoted (shown (:expected result)))
                                 " :VALUES ((\"expected\" " (quoted (shown (:expected result)))
                                 ") (\"actual\" " (quoted (shown (:actual result))) "))"
                                 (when path (str " :FILE " (quoted path)))
                                 (when (and (integer? line) (pos? line)) (str " :LINE " line))
                                 ")")))))]
    (with-bindings {(resolve 'clojure.test/report) report}
      ((resolve 'clojure.test/test-vars) tests))
    (str "(:OUTCOME :TESTED :FRAMEWORK \"clojure.test\" :PASSED " (:pass @counts)
         " :FAILED " (+ (:fail @counts) (:error @counts))
         " :SKIPPED 0 :NAMES (" (apply str (map (fn [test] (str (quoted (:name (meta test))) " ")) (take 200 tests)))
         ") :FAILED-TESTS (" (apply str @failed) "))")))
