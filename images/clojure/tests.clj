;; Runs the tests of a namespace with clojure.test, and returns the result of each assertion, as text in the notation of
;; the wire. A function of the namespace's name and of the names of the tests to run, where no names mean all. While it
;; runs it reports its progress through nREPL, in messages with a `lispwright.tests`: the counts so far, the test that
;; begins, and the failures since the message before. They are the known results when a test never ends, or ends the
;; process. Runs on the JVM and in Babashka; nothing is defined.
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
        names (fn [test] #{(str (:name (meta test))) (str space "/" (:name (meta test)))})
        named? (fn [test]
                 (or (empty? wanted) (some (names test) wanted)))
        all (->> (vals (ns-interns space)) (filter (comp :test meta))
                 (sort-by (juxt (comp :line meta) (comp str :name meta))))
        tests (filter named? all)
        ;; The place in the user's code, not in Clojure or Java, where it was thrown.
        thrown-at (fn [thrown]
                    (let [root (last (take 20 (take-while some? (iterate ex-cause thrown))))]
                      (some (fn [^StackTraceElement element]
                              (when (and (re-find #"\.(clj[cs]?|bb)$" (str (.getFileName element)))
                                         (not (re-find #"^(clojure|nrepl|lispwright|sci|babashka)\." (.getClassName element))))
                                (str "\nat " (.getFileName element) ":" (.getLineNumber element))))
                            (.getStackTrace ^Throwable root))))
        reason (fn [{:keys [type message actual]}]
                 (if (= :fail type)
                   (or message "the assertion does not hold")
                   (str "error: "
                        (when-not (contains? #{nil "Uncaught exception, not in assertion."} message) (str message ": "))
                        (shown actual)
                        (when (instance? Throwable actual) (thrown-at actual)))))
        counts (atom {:pass 0 :fail 0 :error 0})
        failed (atom [])
        told (atom 0)
        running (atom nil)
        tell (fn []
               (when-let [{:keys [id session transport]}
                          (some-> (resolve 'nrepl.middleware.interruptible-eval/*msg*) deref)]
                 ((resolve 'nrepl.transport/send)
                  transport
                  (into
                   {:id id
                    :lispwright.tests
                    (str "(:FRAMEWORK \"clojure.test\" :PASSED " (:pass @counts)
                         " :FAILED " (+ (:fail @counts) (:error @counts))
                         (when @running (str " :RUNNING " (quoted @running)))
                         " :FAILED-TESTS (" (apply str (drop @told @failed)) "))")}
                   (when-let [name (:id (meta session))] {:session name})))
                 (reset! told (count @failed))))
        report (fn [result]
                 ;; Somebody stops the run, not only a test.
                 (when (and (= :error (:type result))
                            (some #(instance? InterruptedException %)
                                  (take 20 (take-while some? (iterate ex-cause (:actual result))))))
                   (throw (:actual result)))
                 (when (= :begin-test-var (:type result))
                   (reset! running (:name (meta (:var result))))
                   (tell))
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
                                 " :REASON " (quoted (reason result))
                                 (when (some? (:expected result)) (str " :FORM " (quoted (shown (:expected result)))))
                                 (when (= :fail (:type result))
                                   (str " :VALUES ((\"actual\" " (quoted (shown (:actual result))) "))"))
                                 (when path (str " :FILE " (quoted path)))
                                 (when (and (integer? line) (pos? line)) (str " :LINE " line))
                                 ")"))
                   (tell))))]
    (with-bindings {(resolve 'clojure.test/report) report}
      (try
        ((resolve 'clojure.test/test-vars) tests)
        (catch InterruptedException e (throw e))
        (catch ThreadDeath e (throw e))
        (catch Throwable e
          (report {:type :error :message "a fixture failed and ended the run" :actual e}))))
    (str "(:OUTCOME :TESTED :FRAMEWORK \"clojure.test\" :PASSED " (:pass @counts)
         " :FAILED " (+ (:fail @counts) (:error @counts))
         " :SKIPPED 0 :NAMES (" (apply str (map (fn [test] (str (quoted (:name (meta test))) " ")) (take 200 all)))
         ") :UNMATCHED (" (apply str (map #(str (quoted %) " ") (remove (set (mapcat names all)) wanted)))
         ") :FAILED-TESTS (" (apply str @failed) "))")))
