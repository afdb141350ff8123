;; Divides ASCII text into words as Qwen2 does and adds up their tokens: the loop that a survey spends most of its time in, on
;; sixteen bytes at a time. What is seldom is left to word-counts.ts; word-table.ts lays out the memory. `npm run words` makes
;; words.wasm of this, and a test says whether it has.
(module
  (import "words" "memory" (memory 1))
  ;; Where a word ends that is not made of letters; 0: its bytes are not known.
  (import "words" "endOf" (func $endOf (param $at i32) (param $end i32) (result i32)))
  ;; Tokens of a word that the table does not have; it may put the word there.
  (import "words" "countAnew" (func $countAnew (param $at i32) (param $end i32) (result f64)))

  ;; Where the table begins, and of how many bits the number of a pair of slots is.
  (global $table (import "words" "table") i32)
  (global $bits (export "bits") (mut i64) (i64.const 11))

  ;; Where a word of at most fifteen bytes is in the table, or the free slot where it belongs. A word may stand in either slot of
  ;; its pair, so that nearly all are found in one look, and which of the two it is takes no branch.
  (func $slotOf (export "slotOf") (param $at i32) (param $bytes i32) (result i32)
    (local $word v128) (local $pair i32) (local $slot i32) (local $isSecond i32)
    (local.set $word (v128.and
      (v128.load (local.get $at))
      ;; Masks of each length stand at the beginning of the memory.
      (v128.load (i32.shl (local.get $bytes) (i32.const 4)))))
    (local.set $pair (i32.wrap_i64 (i64.shr_u (call $hashOf (local.get $word)) (i64.sub (i64.const 64) (global.get $bits)))))
    (loop $next (result i32)
      (local.set $slot (i32.add (global.get $table) (i32.shl (local.get $pair) (i32.const 5))))
      (local.set $isSecond (call $holds (i32.add (local.get $slot) (i32.const 16)) (local.get $word)))
      (if (i32.or (call $holds (local.get $slot) (local.get $word)) (local.get $isSecond))
        (then (return (i32.add (local.get $slot) (i32.shl (local.get $isSecond) (i32.const 4))))))
      (if (i32.eqz (i32.load8_u (local.get $slot))) (then (return (local.get $slot))))
      (if (i32.eqz (i32.load8_u offset=16 (local.get $slot))) (then (return (i32.add (local.get $slot) (i32.const 16)))))
      (local.set $pair (i32.and
        (i32.add (local.get $pair) (i32.const 1))
        (i32.wrap_i64 (i64.sub (i64.shl (i64.const 1) (global.get $bits)) (i64.const 1)))))
      (br $next)))

  (func $holds (param $slot i32) (param $word v128) (result i32)
    (i32.eqz (v128.any_true (v128.and
      (v128.xor (v128.load (local.get $slot)) (local.get $word))
      ;; All but the last byte.
      (v128.const i32x4 -1 -1 -1 0x00ffffff)))))

  ;; Its highest bits are the ones that are mixed.
  (func $hashOf (param $word v128) (result i64)
    (i64.mul
      (i64.xor
        (i64.mul (i64x2.extract_lane 0 (local.get $word)) (i64.const 0x9e3779b97f4a7c15))
        (i64.rotl (i64.mul (i64x2.extract_lane 1 (local.get $word)) (i64.const 0xc2b2ae3d27d4eb4f)) (i64.const 32)))
      (i64.const 0x9e3779b97f4a7c15)))

  ;; A bit for each of sixteen bytes that is no letter.
  (func $othersOf (param $at i32) (result i64)
    (i64.extend_i32_u (i8x16.bitmask (i8x16.ge_u
      (i8x16.sub
        (v128.or (v128.load (local.get $at)) (i8x16.splat (i32.const 0x20)))
        (i8x16.splat (i32.const 0x61)))
      (i8x16.splat (i32.const 26))))))

  ;; The same of sixty-four: words have any length, and a loop that waits for the end of each is twice as slow.
  (func $othersAhead (param $at i32) (result i64)
    (i64.or
      (i64.or
        (call $othersOf (local.get $at))
        (i64.shl (call $othersOf (i32.add (local.get $at) (i32.const 16))) (i64.const 16)))
      (i64.or
        (i64.shl (call $othersOf (i32.add (local.get $at) (i32.const 32))) (i64.const 32))
        (i64.shl (call $othersOf (i32.add (local.get $at) (i32.const 48))) (i64.const 48)))))

  ;; Tokens of a text. NaN: a word was counted so. -1: there are bytes that are not known. What is behind the end is no letter.
  (func (export "count") (param $at i32) (param $end i32) (result f64)
    (local $tokens f64) (local $step i32) (local $others i64) (local $isBlank i32) (local $next i32) (local $slot i32)
    (local.set $step (local.get $at))
    (local.set $others (call $othersAhead (local.get $at)))
    (block $done
      (loop $word
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        ;; A blank belongs to the letters behind it.
        (local.set $isBlank (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x20)))
        (local.set $others (select
          (i64.and (local.get $others) (i64.sub (local.get $others) (i64.const 1)))
          (local.get $others)
          (local.get $isBlank)))
        (block $found
          (loop $ahead
            (br_if $found (i64.ne (local.get $others) (i64.const 0)))
            (local.set $step (i32.add (local.get $step) (i32.const 64)))
            (local.set $others (call $othersAhead (local.get $step)))
            (br $ahead)))
        (local.set $next (i32.add (local.get $step) (i32.wrap_i64 (i64.ctz (local.get $others)))))
        (if (i32.eq (local.get $next) (i32.add (local.get $at) (local.get $isBlank)))
          (then
            (local.set $next (call $endOf (local.get $at) (local.get $end)))
            (if (i32.eqz (local.get $next)) (then (return (f64.const -1))))
            (local.set $step (local.get $next))
            (local.set $others (call $othersAhead (local.get $next)))))
        (local.set $tokens (f64.add (local.get $tokens)
          (block $counted (result f64)
            (if (i32.le_u (i32.sub (local.get $next) (local.get $at)) (i32.const 15))
              (then
                (local.set $slot (call $slotOf (local.get $at) (i32.sub (local.get $next) (local.get $at))))
                (if (i32.load8_u (local.get $slot))
                  (then (br $counted (f64.convert_i32_u (i32.load8_u offset=15 (local.get $slot))))))))
            (call $countAnew (local.get $at) (local.get $next)))))
        (local.set $at (local.get $next))
        (br $word)))
    (local.get $tokens)))
