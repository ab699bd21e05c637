#lang racket/base
;; What code can set for all that comes after it: parameters, and variables of the environment.

(provide settings-now put-back!)

;; The parameters with their names in words. Those that each call begins with as usual are not among them.
(define parameters
  (list (cons "the library collection paths" current-library-collection-paths)
        (cons "the library collection links" current-library-collection-links)
        (cons "the paths of compiled files" use-compiled-file-paths)
        (cons "the roots of compiled files" current-compiled-file-roots)
        (cons "the check of compiled files" use-compiled-file-check)
        (cons "the use of user-specific paths" use-user-specific-search-paths)
        (cons "the use of collection links" use-collection-link-paths)
        (cons "the module name resolver" current-module-name-resolver)
        (cons "the load handler" current-load)
        (cons "the handler of compiled code" current-load/use-compiled)
        (cons "the evaluation handler" current-eval)
        (cons "the extension load handler" current-load-extension)
        (cons "the readtable" current-readtable)
        (cons "the reader guard" current-reader-guard)
        (cons "read-case-sensitive" read-case-sensitive)
        (cons "read-square-bracket-as-paren" read-square-bracket-as-paren)
        (cons "read-curly-brace-as-paren" read-curly-brace-as-paren)
        (cons "read-accept-reader" read-accept-reader)
        (cons "read-accept-lang" read-accept-lang)
        (cons "read-accept-compiled" read-accept-compiled)
        (cons "read-decimal-as-inexact" read-decimal-as-inexact)
        (cons "the print handler" current-print)
        (cons "the global print handler" global-port-print-handler)
        (cons "print-as-expression" print-as-expression)
        (cons "print-struct" print-struct)
        (cons "print-graph" print-graph)
        (cons "the command line" current-command-line-arguments)
        (cons "the locale" current-locale)
        (cons "the logger" current-logger)
        (cons "the security guard" current-security-guard)
        (cons "the thread group" current-thread-group)
        (cons "the random generator" current-pseudo-random-generator)
        (cons "the environment variables" current-environment-variables)
        (cons "the error display handler" error-display-handler)
        (cons "the error printer" error-value->string-handler)
        (cons "error-print-source-location" error-print-source-location)
        (cons "error-print-context-length" error-print-context-length)
        (cons "compile-allow-set!-undefined" compile-allow-set!-undefined)))

;; The values of parameters, and the environment variables with theirs.
(struct settings (values environment variables))

(define (settings-now)
  (define environment (current-environment-variables))
  (settings (for/list ([one (in-list parameters)]) ((cdr one)))
            environment
            (for/hash ([name (in-list (environment-variables-names environment))])
              (values name (environment-variables-ref environment name)))))

;; Puts back what has changed since `before`; that, in words.
(define (put-back! before)
  (append
   (for/list ([one (in-list parameters)] [value (in-list (settings-values before))]
              #:unless (equal? value ((cdr one))))
     ((cdr one) value)
     (car one))
   (let* ([environment (settings-environment before)]
          [earlier (settings-variables before)]
          [now (environment-variables-names environment)])
     (for*/list ([name (in-list (append now (for/list ([name (in-hash-keys earlier)] #:unless (member name now)) name)))]
                 [value (in-value (hash-ref earlier name #f))]
                 #:unless (equal? value (environment-variables-ref environment name)))
       (environment-variables-set! environment name value void)
       (format "the environment variable ~a" (bytes->string/utf-8 name #\?))))))
