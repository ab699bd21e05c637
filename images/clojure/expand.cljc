;; The expansion of a form to a level, as text in the notation of the wire. A function; it runs in any namespace, so
;; every name is qualified, and in ClojureScript, where there is no printer for code. Nothing is defined.
(clojure.core/fn [form level]
  (clojure.core/let [expanded (clojure.core/case level
                                :once (clojure.core/macroexpand-1 form)
                                :full (clojure.core/macroexpand form)
                                :all (do (clojure.core/require 'clojure.walk)
                                         ((clojure.core/resolve 'clojure.walk/prewalk)
                                          (clojure.core/fn [part]
                                            (if (clojure.core/seq? part) (clojure.core/macroexpand part) part))
                                          form)))
                     ;; The printer omits metadata; that of names has a meaning: ^:private, ^String.
                     mark (clojure.core/fn [[key value]]
                            (clojure.core/str "^"
                                              (clojure.core/cond (clojure.core/true? value) key
                                                                 (clojure.core/= :tag key) value
                                                                 :else (clojure.core/pr-str {key value}))
                                              " "))
                     marked (clojure.core/fn [part]
                              (clojure.core/let [marks (clojure.core/when (clojure.core/symbol? part)
                                                         (clojure.core/dissoc (clojure.core/or (clojure.core/meta part) {})
                                                                              :line :column :file :arglists))]
                                (if (clojure.core/seq marks)
                                  (clojure.core/symbol (clojure.core/str (clojure.core/apply clojure.core/str
                                                                                             (clojure.core/map mark marks))
                                                                         part))
                                  part)))
                     printed #?(:clj (clojure.core/or
                                      (try (do (clojure.core/require 'clojure.pprint)
                                               (clojure.core/require 'clojure.walk)
                                               ((clojure.core/resolve 'clojure.pprint/write)
                                                ((clojure.core/resolve 'clojure.walk/postwalk) marked expanded)
                                                :stream nil
                                                :dispatch @(clojure.core/resolve 'clojure.pprint/code-dispatch)))
                                           (catch Throwable _ nil))
                                      (clojure.core/pr-str expanded))
                                :default (clojure.core/pr-str expanded))
                     escaped (clojure.core/apply clojure.core/str
                                                 (clojure.core/map
                                                  (clojure.core/fn [character]
                                                    (clojure.core/case (clojure.core/str character)
                                                      "\\" "\\\\"
                                                      "\"" "\\\""
                                                      character))
                                                  printed))]
    (clojure.core/str "(:TEXT \"" escaped "\" :CHANGED " (if (clojure.core/= form expanded) "NIL" "T") ")")))
