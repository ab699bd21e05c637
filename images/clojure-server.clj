;; Starts an nREPL server on a free port of the loopback interface and says which.
(require 'nrepl.server)
(let [start (resolve 'nrepl.server/start-server)
      server (start :bind "127.0.0.1" :port 0)]
  (println "nREPL server started on port" (:port server))
  (flush)
  @(promise))
