/**
 * Batches of RUM events that cost the service much and their sender little: stacks of the largest usual size,
 * compressed. Every body is different: its first bytes are a separate gzip member, and the rest is prepared.
 */
import { gzipSync } from 'node:zlib'
import type { LoadRequest } from './load-request.ts'

const EVENTS = 80
const STACK_CHARS = 11_000

/** @param now time at which the load generator was started; distinguishes its batches from those of others */
export function createFloodBatches(now: Date): (number: number) => LoadRequest {
  const started = now.getTime().toString(16)
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    type: 'error',
    timestamp: now.getTime() - index,
    error: { type: 'TypeError', message: `x${index} is not a function`, stack: stackOf(index) },
  }))
  const rest = gzipSync(`"events":${JSON.stringify(events)}}`).toString('latin1')
  return (number) => ({
    path: '/v1/rum/events',
    headers: 'Content-Encoding: gzip\r\n',
    body: gzipSync(`{"session_id":"${started}-${number}",`).toString('latin1') + rest,
    echo: '',
    mark: '"success":true',
    may_be_refused: true,
    organization: 0,
  })
}

function stackOf(event: number): string {
  let stack = `TypeError: x${event} is not a function`
  for (let line = 0; stack.length < STACK_CHARS; line += 1) {
    stack += `\n    at step${line}Handler (https://shop.example/assets/app-${line % 7}.js:${line}:${event})`
  }
  return stack.slice(0, STACK_CHARS)
}
