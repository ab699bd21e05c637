#!/bin/sh
# The variables of Guile's modules in known-modules.txt and of Chez Scheme that are neither procedures nor syntax, in one
# list. Constants of the operating system, in capitals, are left out: versions differ in them.
#
#     xtask/standard/scheme-variables.sh > crates/lint/src/known-variables.txt
cd "$(dirname "$0")" || exit 1
modules=$(cat ../../crates/lint/src/known-modules.txt)
# What the core module uses is a part of it.
{
    guile --no-auto-compile -c "
      (for-each
       (lambda (name)
         (let ((module (if (equal? name '(guile))
                           (resolve-module name)
                           (false-if-exception (resolve-interface name)))))
           (when module
             (module-for-each
              (lambda (name variable)
                (when (variable-bound? variable)
                  (let ((value (variable-ref variable)))
                    (unless (or (procedure? value) (macro? value)) (format #t \"~a\n\" name)))))
              module))))
       '((ice-9 ports) $modules))"
    echo '(for-each (lambda (name)
            (when (and (top-level-bound? name) (not (procedure? (top-level-value name))))
              (display name) (newline)))
          (environment-symbols (scheme-environment)))' | scheme -q
} | grep '[a-z]' | grep -v '[|%#$ ]' | grep -v '^t-[0-9a-f]*-' | LC_ALL=C sort -u
