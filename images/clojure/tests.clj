;; Runs the tests of a namespace with clojure.test, and returns the result of each assertion, as text in the notation of
;; the wire. A function of the namespace's name, of the names of the tests to run, where no names mean all, and of the
;; seconds that they may take. Each test runs in a thread of its own and gets half of the time that is left, so that one that
;; never ends leaves time for the others. While they run it reports its progress through nREPL, in messages with a
;; `lispwright.tests`: the counts so far, the test that begins, and the failures since the message before. They are the known
;; results when a test ends the process. In an image of `journal.clj` it does not. Runs on the JVM and in Babashka; nothing
;; is defined.
(fn [space wanted seconds]
  (require 'clojure.test 'clojure.java.io)
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
        ;; A name, or the start of names with an asterisk after it.
        called? (fn [^String text test]
                  (or ((names test) text)
                      (and (.endsWith text "*")
                           (some #(.startsWith ^String % (subs text 0 (dec (count text)))) (names test)))))
        named? (fn [test]
                 (or (empty? wanted) (some #(called? % test) wanted)))
        all (->> (vals (ns-interns space)) (filter (comp :test meta))
                 (sort-by (juxt (comp :line meta) (comp str :name meta))))
        tests (filter named? all)
        ;; The function that runs the tests of a namespace in its own way, where all are asked for.
        hook (when (empty? wanted) (get (ns-interns space) 'test-ns-hook))
        ;; The file of a resource, when it is one.
        file-of (fn [path]
                  (let [url (when path (try ((resolve 'clojure.java.io/resource) path) (catch Throwable _ nil)))]
                    (when (and url (= "file" (.getProtocol ^java.net.URL url))) (.getPath ^java.net.URL url))))
        ;; The innermost calls in the user's code, not in Clojure or Java, of a stack: as frames on the wire.
        frames (fn [stack]
                 (let [of-class (fn [^StackTraceElement element] (.getClassName element))]
                   (apply str
                          (take 3
                                (keep (fn [^StackTraceElement element]
                                        (let [class (.getClassName element)
                                              name (str (.getFileName element))
                                              ;; What is loaded form by form is in functions called eval.
                                              [_ space function] (re-find #"^([^$]+)\$(?:eval[0-9]+\$)?([^$]+)" class)]
                                          (when (and (re-find #"\.(clj[cs]?|bb)$" name)
                                                     (not (re-find #"^(clojure|nrepl|lispwright|sci|babashka)\." class)))
                                            (let [folder (when space (re-find #".*/" (.replace ^String space \. \/)))
                                                  file (file-of (str folder name))]
                                              (when file
                                                (str "(:CALL " (quoted (str (.replace (str space) \_ \-) "/"
                                                                            (.replace (.replaceAll (str function) "__[0-9]+$" "")
                                                                                      \_ \-)))
                                                     " :FILE " (quoted file) " :LINE " (.getLineNumber element) ") "))))))
                                      ;; A function is two frames.
                                      (map first (partition-by of-class stack)))))))
        thrown-at (fn [thrown]
                    (.getStackTrace ^Throwable (last (take 20 (take-while some? (iterate ex-cause thrown))))))
        reason (fn [{:keys [type message actual why]}]
                 (cond
                   why why
                   (= :fail type) (or message "the assertion does not hold")
                   :else (str "error: "
                              (when-not (contains? #{nil "Uncaught exception, not in assertion."} message) (str message ": "))
                              (shown actual))))
        counts (atom {:pass 0 :fail 0 :error 0})
        empty-tests (atom 0)
        failed (atom [])
        told (atom 0)
        running (atom nil)
        ;; The threads of tests that were left: what they still report does not count.
        left-threads (atom #{})
        tell (fn []
               (when-let [{:keys [id session transport]}
                          (some-> (resolve 'nrepl.middleware.interruptible-eval/*msg*) deref)]
                 ((resolve 'nrepl.transport/send)
                  transport
                  (into
                   {:id id
                    :lispwright.tests
                    (str "(:FRAMEWORK \"clojure.test\" :PASSED " (:pass @counts)
                         " :FAILED " (+ (:fail @counts) (:error @counts)) " :SKIPPED " @empty-tests
                         (when @running (str " :RUNNING " (quoted @running)))
                         " :FAILED-TESTS (" (apply str (drop @told @failed)) "))")}
                   (when-let [name (:id (meta session))] {:session name})))
                 (reset! told (count @failed))))
        note (fn [result]
                 ;; Somebody stops the run, not only a test.
                 (when (and (= :error (:type result))
                            (instance? Throwable (:actual result))
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
                         path (or (file-of file) file)
                         line (if (= (:type result) :fail) (:line result) (:line (meta test)))
                         contexts (apply str (interpose " " (reverse @(resolve 'clojure.test/*testing-contexts*))))]
                     (swap! failed conj
                            (str "(:NAME " (quoted (if test (:name (meta test)) space))
                                 " :DESCRIPTION " (quoted contexts)
                                 " :REASON " (quoted (reason result))
                                 (when (some? (:expected result)) (str " :FORM " (quoted (shown (:expected result)))))
                                 (when (and (= :fail (:type result)) (not (:why result)))
                                   (str " :VALUES ((\"actual\" " (quoted (shown (:actual result))) "))"))
                                 (when path (str " :FILE " (quoted path)))
                                 (when (and (integer? line) (pos? line)) (str " :LINE " line))
                                 (when-let [stack (or (:stack result)
                                                      (when (instance? Throwable (:actual result)) (thrown-at (:actual result))))]
                                   (str " :FRAMES (" (frames stack) ")"))
                                 ")"))
                   (tell))))
        own-report @(resolve 'clojure.test/report)
        counters (ref @(resolve 'clojure.test/*initial-report-counters*))
        increase (resolve 'clojure.test/inc-report-counter)
        ;; Results of a kind that a library reports in its own way: what that counts is counted, and what it prints for a
        ;; failure is the reason.
        output *out*
        test-output (fn [] @(resolve 'clojure.test/*test-out*))
        report-other (fn [result]
                       (let [before @counters
                             text (java.io.StringWriter.)
                             is-shown (identical? output (test-output))]
                         (with-bindings (if is-shown {(resolve 'clojure.test/*test-out*) text} {}) (own-report result))
                         (let [more (fn [type] (- (get @counters type 0) (get before type 0)))]
                           (swap! counts update :pass + (more :pass))
                           (if-let [type (first (filter (fn [type] (pos? (more type))) [:fail :error]))]
                             (note (-> result
                                       (dissoc :expected)
                                       (assoc :type type
                                              :why (.trim (.replaceAll (str text) "\u001b\\[[0-9;]*m" "")))))
                             (binding [*out* (test-output)] (print (str text)))))))
        report (fn [result]
                 (cond
                   (contains? @left-threads (Thread/currentThread)) nil
                   ;; A test runs others, or looks at how it is reported what it does.
                   (not (identical? counters @(resolve 'clojure.test/*report-counters*))) (own-report result)
                   (contains? @counts (:type result)) (do (increase (:type result)) (note result))
                   (identical? (get-method own-report (:type result)) (get-method own-report :default)) nil
                   (= :begin-test-var (:type result)) (do (note result) (own-report result))
                   :else (report-other result)))
        deadline (+ (System/nanoTime) (long (* 1e9 seconds)))
        left (fn [] (max 0.0 (/ (- deadline (System/nanoTime)) 1e9)))
        end (fn [^Thread thread]
              (swap! left-threads conj thread)
              (.interrupt thread)
              (.join thread 500)
              (when (.isAlive thread)
                ;; Newer virtual machines refuse: then it runs on.
                (try (.stop thread) (catch Throwable _ nil))))
        ;; Calls the function `run` in a thread; after so many seconds it is left. What it throws is thrown here.
        call-for (fn [run seconds late]
                   (let [result (promise)
                         thread (Thread. ^Runnable
                                 (bound-fn []
                                   (deliver result (try (run) nil (catch Throwable e e)))))]
                     (.setContextClassLoader thread (.getContextClassLoader (Thread/currentThread)))
                     (.setDaemon thread true)
                     (.start thread)
                     (let [thrown (try (deref result (long (* 1000 seconds)) ::late)
                                       (catch Throwable e (end thread) (throw e)))]
                       (cond (= ::late thrown) (let [stack (.getStackTrace thread)] (end thread) (late stack))
                             thrown (throw thrown)))))
        fixtures (fn [key] ((resolve 'clojure.test/join-fixtures) (key (meta (the-ns space)))))
        ;; Runs a test, or what runs the tests, by a function.
        run-test (fn [run test last?]
                   (let [before @counts
                         began (System/nanoTime)]
                     (call-for
                      run
                      (if last? (* 2 (left)) (/ (left) 2))
                      (fn [stack]
                        (with-bindings {(resolve 'clojure.test/*testing-vars*) (list test)}
                          (report {:type :error
                                   :stack stack
                                   :why (str "It ran for " (format "%.1f" (/ (- (System/nanoTime) began) 1e9))
                                             " s and was stopped, so that the others could run. A larger timeout_seconds gives it more.")}))))
                     (when (= before @counts)
                       (swap! empty-tests inc))))]
    (with-bindings (into {(resolve 'clojure.test/report) report
                          (resolve 'clojure.test/*report-counters*) counters
                          (resolve 'clojure.test/*test-out*) output}
                         (when-let [in-tests (resolve 'lispwright.image/*in-tests*)] {in-tests true}))
      (try
        (if hook
          (run-test @hook hook true)
          ((fixtures :clojure.test/once-fixtures)
           (fn []
             (doseq [test tests]
               (let [each (fixtures :clojure.test/each-fixtures)]
                 (run-test (fn [] (each (fn [] ((resolve 'clojure.test/test-var) test)))) test (= test (last tests))))))))
        (catch InterruptedException e (throw e))
        (catch ThreadDeath e (throw e))
        (catch Throwable e
          (report {:type :error :message "a fixture failed and ended the run" :actual e}))))
    (str "(:OUTCOME :TESTED :FRAMEWORK \"clojure.test\" :FILES ("
         (apply str (map #(str (quoted %) " ") (distinct (keep (fn [test] (let [file (:file (meta test))] (or (file-of file) file))) all))))
         ") :PASSED " (:pass @counts)
         " :FAILED " (+ (:fail @counts) (:error @counts))
         " :SKIPPED " @empty-tests
         " :NAMES (" (apply str (map (fn [test] (str (quoted (:name (meta test))) " ")) (take 200 all)))
         ") :UNMATCHED (" (apply str (map #(str (quoted %) " ") (remove (fn [text] (some #(called? text %) all)) wanted)))
         ") :FAILED-TESTS (" (apply str @failed) "))")))
