/** Runs the snippets of docs/webhooks.md on real signatures, in the languages that are installed. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSecret, signedHeaders } from '../../src/modules/webhooks/signature.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { blocksOf } from './examples.ts'

const blocks = blocksOf(readFileSync(join(packageRoot(), 'docs', 'webhooks.md'), 'utf8'))
const blockOf = (info: string): string =>
  blocks.find((block) => block.info === info)?.text ?? `No block is marked ${info}`

type Case = { body: string; header: string | null; secret: string; now: number }

const T = 1_772_366_400
const BODY = JSON.stringify({ id: '1', type: 'order.fraud.alert', data: { name: 'Žofie 🦊' } })
const { secret: SECRET } = newSecret()
const headerOf = (secret: string, body: string): string =>
  signedHeaders({ secret, body, event_id: '1', event_type: '-', now: new Date(T * 1000) })[
    'x-service-signature'
  ] ?? ''
const GENUINE: Case = { body: BODY, header: headerOf(SECRET, BODY), secret: SECRET, now: T }

const [, secret = '', body = '', header = ''] =
  /^secret +(\S+)\nbody +(.+)\nheader +(\S+)$/.exec(blockOf('text vector')) ?? []
const VECTOR: Case = { body, header, secret, now: T }

const ACCEPTED: [string, Case][] = [
  ['unchanged', GENUINE],
  ['five minutes later', { ...GENUINE, now: T + 300 }],
  ['the documented example', VECTOR],
]
const REFUSED: [string, Case][] = [
  ['another body', { ...GENUINE, body: `${BODY}\n` }],
  ['another secret', { ...GENUINE, secret: newSecret().secret }],
  ['too old', { ...GENUINE, now: T + 301 }],
  ['from the future', { ...GENUINE, now: T - 301 }],
  ['no header', { ...GENUINE, header: null }],
  ['half of a signature', { ...GENUINE, header: GENUINE.header?.slice(0, -32) ?? null }],
  ['more than a signature', { ...GENUINE, header: `${GENUINE.header}\n` }],
]
const CASES = [...ACCEPTED, ...REFUSED]
const EXPECTED = CASES.map(([name], index) => [name, index < ACCEPTED.length])

const NODE = `${blockOf('js snippet')}
const cases = JSON.parse(process.argv[1])
const answers = cases.map(([name, { body, header, secret, now }]) =>
  [name, isGenuine(Buffer.from(body), header ?? undefined, secret, now)])
console.log(JSON.stringify(answers))`

const PYTHON = `${blockOf('python snippet')}

import json, sys
answers = [[name, is_genuine(c["body"].encode(), c["header"], c["secret"], c["now"])]
           for name, c in json.loads(sys.argv[1])]
print(json.dumps(answers))`

const run = (program: string, args: string[]): unknown => {
  const { stdout, stderr } = spawnSync(program, [...args, JSON.stringify(CASES)], {
    encoding: 'utf8',
  })
  return stdout === '' ? stderr : JSON.parse(stdout)
}

const hasPython = spawnSync('python3', ['--version']).status === 0

describe('the documented verification', () => {
  it('matches the documented example signature', () => {
    expect(headerOf(secret, body)).toBe(header)
  })

  it('in Node.js accepts genuine requests and nothing else', () => {
    expect(run(process.execPath, ['--input-type=module', '-e', NODE])).toEqual(EXPECTED)
  })

  it.runIf(hasPython)('in Python accepts genuine requests and nothing else', () => {
    expect(run('python3', ['-c', PYTHON])).toEqual(EXPECTED)
  })
})
