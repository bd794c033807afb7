import { expect, it } from 'vitest'
import { DEFAULT_ORDER_PARAMETERS, readOrderParameters } from './parameters.ts'

it('an empty file is the defaults', () => {
  expect(readOrderParameters({})).toEqual(DEFAULT_ORDER_PARAMETERS)
})

it('a file names only what differs', () => {
  const read = readOrderParameters({ weights: { velocity: 0.5 }, history: { known_orders: 0 } })
  expect(read.weights).toEqual({ ...DEFAULT_ORDER_PARAMETERS.weights, velocity: 0.5 })
  expect(read.history.known_orders).toBe(0)
  expect(read.places).toEqual(DEFAULT_ORDER_PARAMETERS.places)
})

it.each([
  [null, 'The rules file must be an object'],
  [[], 'The rules file must be an object'],
  [{ weight: {} }, 'There is no "weight" among the rules'],
  [{ constructor: {} }, 'There is no "constructor" among the rules'],
  [{ weights: 3 }, '"weights" must be an object'],
  [{ weights: { speed: 1 } }, 'There is no "weights.speed" among the rules'],
  [{ weights: { velocity: '1' } }, '"weights.velocity" must be a number from 0 on'],
  [{ weights: { velocity: -1 } }, '"weights.velocity" must be a number from 0 on'],
  [{ weights: { velocity: 1 } }, '"weights.velocity" must be at most 0.99'],
  [{ flag_scores: { velocity: 101 } }, '"flag_scores.velocity" must be at most 100'],
  [{ hours: { score_max: 1000 } }, '"hours.score_max" must be at most 100'],
  [{ velocity: { ip_people: 0 } }, '"velocity.ip_people" must be more than 0'],
])('%j is refused by name', (json, message) => {
  expect(() => readOrderParameters(json)).toThrow(message)
})
