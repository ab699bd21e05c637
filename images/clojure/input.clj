;; Evaluated in a new session: its standard input cannot be closed. nREPL reads from it before each evaluation, so one
;; that has closed it, as (slurp *in*) does, would be the last. Nothing is defined, so every name is qualified.
(clojure.core/when (clojure.core/instance? clojure.lang.LineNumberingPushbackReader clojure.core/*in*)
  (set! clojure.core/*in* (clojure.core/proxy [clojure.lang.LineNumberingPushbackReader] [clojure.core/*in*] (close [])))
  nil)
