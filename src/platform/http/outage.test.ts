import { describe, expect, it } from 'vitest'
import { EngineRefusal } from '../clickhouse/errors.ts'
import { NotTakenError } from '../states/index.ts'
import { answerTo, quotaAnswer } from './outage.ts'

const coded = (code: string) => Object.assign(new Error('secret detail'), { code })

describe('OP-150: the answer to an unexpected error', () => {
  it.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a server that is shutting down', coded('57P01')],
    ['a full disk', coded('53100')],
    ['a standby', coded('25006')],
    ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
    ['a database that is too slow', new NotTakenError('the database is too slow')],
  ])('with %s says when to retry', (_, error) => {
    expect(answerTo(error)).toMatchObject({
      status: 500,
      body: { success: false, message: 'Internal server error' },
      retry_after_seconds: 5,
    })
  })

  it.each([
    ['a fault of the program', new TypeError('secret detail')],
    ['a violated constraint', coded('23505')],
  ])('with %s does not', (_, error) => {
    expect(answerTo(error)).toMatchObject({ status: 500, retry_after_seconds: undefined })
  })
})

it('OP-182: a quota of the analytics engine that is used up is a 429, and no other refusal is', () => {
  expect(quotaAnswer(new EngineRefusal(201, 'secret detail'))).toMatchObject({
    status: 429,
    body: { message: 'Rate limit exceeded' },
    retry_after_seconds: 60,
  })
  expect(quotaAnswer(new EngineRefusal(241, 'secret detail'))).toBeUndefined()
})
