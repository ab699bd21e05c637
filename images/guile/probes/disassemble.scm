(begin
  ((@ (system vm disassembler) disassemble-program)
   (eval (call-with-input-string {{code}} read) (current-module)))
  (values))
