import { describe, expect, test } from 'vitest'
import { rewriteWithNaptr } from './naptr.ts'

describe('rewriteWithNaptr', () => {
  test.each([
    ['!^.*$!tel:+12025550100;npdi!', 'tel:+12025550100;npdi'],
    ['!^(.*)$!tel:\\1;npdi!', 'tel:+12025550100;npdi'],
    ['!^\\+1(.*)$!tel:+1\\1;rn=+1202555!', 'tel:+12025550100;rn=+1202555'],
    ['/^\\+1202(5550...)$/sip:\\1@example/', 'sip:5550100@example'],
    ['!^.*$!tel:+1!i', 'tel:+1'],
  ])('%s', (expression, expected) => {
    expect(rewriteWithNaptr(expression, '+12025550100')).toBe(expected)
  })

  test.each([
    ['does not match', '!^\\+44.*$!tel:+44!'],
    ['is empty', ''],
    ['lacks a part', '!^.*$!tel:+1'],
    ['has a fourth part', '!^.*$!tel:+1!i!'],
    ['has an unknown flag', '!^.*$!tel:+1!x'],
    ['is not well-formed', '!^(.*$!tel:+1!'],
    ['has nested wildcards', '!^(.*)*$!tel:+1!'],
    ['has a counted group', '!^(.*){9}$!tel:+1!'],
    ['has an alternative', '!^(.|.)*$!tel:+1!'],
    ['has too many wildcards', '!^.*.*.*$!tel:+1!'],
    ['refers back in the pattern', '!^(.*)\\1$!tel:+1!'],
  ])('an expression that %s is not applied', (_, expression) => {
    expect(rewriteWithNaptr(expression, '+12025550100')).toBeUndefined()
  })
})
