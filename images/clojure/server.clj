;; Starts an nREPL server on a free port of the loopback interface and prints the port. If the environment names two
;; descriptors, as in the sandbox, the conversation uses them, and no port is opened. nREPL's own loop handles each
;; message in one of the threads for futures, of which there are none after code has called shutdown-agents. This loop
;; reads and acts in one thread, and restores the threads of futures and agents. Its output is sent at once, without
;; waiting for the acknowledgement of earlier output.
(require 'nrepl.server 'nrepl.transport)
(let [bencode (resolve 'nrepl.transport/bencode)
      receive (resolve 'nrepl.transport/recv)
      handler ((resolve 'nrepl.server/default-handler))
      in-thread (fn [body]
                  (doto (Thread. ^Runnable (bound-fn* body))
                    (.setDaemon true)
                    (.start)))
      revive (fn []
               (when (.isShutdown clojure.lang.Agent/soloExecutor)
                 (set-agent-send-executor! (java.util.concurrent.Executors/newFixedThreadPool
                                            (+ 2 (.availableProcessors (Runtime/getRuntime)))))
                 (set-agent-send-off-executor! (java.util.concurrent.Executors/newCachedThreadPool))))
      handle (fn [message]
               (try
                 (handler message)
                 (catch Throwable thrown
                   (.println System/err (str "nREPL: " thrown)))))
      converse (fn [transport]
                 (loop []
                   (when-let [{:keys [op] :as message} (receive transport)]
                     (revive)
                     (let [message (assoc message :transport transport)]
                       ;; An evaluation is only passed on; any other operation may wait.
                       (if (= "eval" op)
                         (handle message)
                         (in-thread #(handle message))))
                     (recur))))
      [input output] (some-> ^String (System/getenv "LISPWRIGHT_CONVERSATION") (.split " "))]
  (if input
    (let [requests (java.io.BufferedInputStream. (java.io.FileInputStream. (str "/proc/self/fd/" input)))
          answers (java.io.BufferedOutputStream. (java.io.FileOutputStream. (str "/proc/self/fd/" output)))]
      (.write answers (.getBytes "nREPL server started\n"))
      (.flush answers)
      (try
        (converse (bencode requests answers))
        (finally
          ;; The client is gone.
          (System/exit 0))))
    (let [server (java.net.ServerSocket. 0 50 (java.net.InetAddress/getByName "127.0.0.1"))]
      (println "nREPL server started on port" (.getLocalPort server))
      (flush)
      (while true
        (let [socket (.accept server)]
          (.setTcpNoDelay socket true)
          (in-thread #(try
                        (with-open [^java.io.Closeable transport (bencode socket)]
                          (converse transport))
                        (catch java.net.SocketException _ nil))))))))
