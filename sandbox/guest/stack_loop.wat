;; A stack that outlives the call it was made for. `work` runs on a stack of its own (it is called as a promising export): it waits for a
;; function, calls it there, says what it returned, and waits for the next one. `stack_pool.ts` carries this module as bytes.
(module
  (type $six (func (param i32 i32 i32 i32 i32 i32) (result i32)))
  (type $five (func (param i32 i32 i32 i32 i32) (result i32)))
  (type $three (func (param i32 i32 i32) (result i32)))

  ;; At a stack's own index: the function to call.
  (import "stack" "functions" (table $functions 1 funcref))
  ;; Suspends until there is a function, and gives the number of its arguments; 0 ends the stack.
  (import "stack" "next" (func $next (param $stack i32) (result i32)))
  (import "stack" "argument" (func $argument (param $stack i32) (param $index i32) (result i32)))
  (import "stack" "done" (func $done (param $stack i32) (param $result i32)))

  (func (export "work") (param $stack i32)
    (local $count i32)
    (loop $again
      (local.set $count (call $next (local.get $stack)))
      (if (i32.eqz (local.get $count)) (then (return)))
      (call $done
        (local.get $stack)
        (if (result i32) (i32.eq (local.get $count) (i32.const 6))
          (then
            (call_indirect $functions (type $six)
              (call $argument (local.get $stack) (i32.const 0))
              (call $argument (local.get $stack) (i32.const 1))
              (call $argument (local.get $stack) (i32.const 2))
              (call $argument (local.get $stack) (i32.const 3))
              (call $argument (local.get $stack) (i32.const 4))
              (call $argument (local.get $stack) (i32.const 5))
              (local.get $stack)))
          (else
            (if (result i32) (i32.eq (local.get $count) (i32.const 5))
              (then
                (call_indirect $functions (type $five)
                  (call $argument (local.get $stack) (i32.const 0))
                  (call $argument (local.get $stack) (i32.const 1))
                  (call $argument (local.get $stack) (i32.const 2))
                  (call $argument (local.get $stack) (i32.const 3))
                  (call $argument (local.get $stack) (i32.const 4))
                  (local.get $stack)))
              (else
                (call_indirect $functions (type $three)
                  (call $argument (local.get $stack) (i32.const 0))
                  (call $argument (local.get $stack) (i32.const 1))
                  (call $argument (local.get $stack) (i32.const 2))
                  (local.get $stack)))))))
      (br $again))))
