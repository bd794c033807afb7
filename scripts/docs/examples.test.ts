import { describe, expect, it } from 'vitest'
import { curlRequest, isAwaited, shellWords, variablesIn, withoutRest } from './examples.ts'

describe('what a document leaves out', () => {
  const printed = { id: 1, name: 'a', list: [{ id: 2, name: 'b' }, { id: 3 }] }

  it.each<[string, unknown]>([
    ['members of an object', { id: 1, '…': '…' }],
    ['members of one inside', { id: 1, name: 'a', list: [{ name: 'b', '…': '…' }, { id: 3 }] }],
    ['the end of a list', { id: 1, name: 'a', list: [{ id: 2, name: 'b' }, '…'] }],
    ['all of a list', { id: 1, name: 'a', list: ['…'] }],
  ])('may be %s', (_, expected) => {
    expect(withoutRest(printed, expected)).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['a member of another value', { id: 2, '…': '…' }],
    ['a member that was not printed', { id: 1, price: 1, '…': '…' }],
    ['a member more than is shown', { id: 1, name: 'a' }],
    ['an element more than is shown', { id: 1, name: 'a', list: [{ id: 2, name: 'b' }] }],
    ['an element that was not printed', { ...printed, list: [...printed.list, { id: 4 }, '…'] }],
  ])('is not %s', (_, expected) => {
    expect(withoutRest(printed, expected)).not.toEqual(expected)
  })
})

it.each<[boolean, string]>([
  [true, 'curl -s "http://127.0.0.1:8080/v1/mdm/devices?org_id=$ORG" -H "Authorization: x"'],
  [true, 'curl -s "http://127.0.0.1:8080/console/api/push/messages/1?org_id=$ORG"'],
  [false, 'curl -s "http://127.0.0.1:8080/console/api/push/messages/1/cancel" -d "{}"'],
  [false, 'curl -s "http://127.0.0.1:8080/console/api/webhooks?org_id=$ORG"'],
  [false, 'curl -s -X POST "http://127.0.0.1:8080/v1/mdm/devices?org_id=$ORG"'],
  [false, 'curl -s "http://127.0.0.1:8080/v1/mdm/groups?org_id=$ORG" -d "{}"'],
  [false, 'curl -s "http://127.0.0.1:8080/v1/edge/logs?org_id=$ORG"'],
])('only readings of devices and of push are repeated: %s for %s', (expected, command) => {
  const example = { kind: 'request' as const, command, expected: '{}', line: 1 }
  expect(isAwaited(example)).toBe(expected)
})

it('a request may trust an authority, and write its answer into a file', () => {
  const words = shellWords('curl -s --cacert ca.pem -X PATCH https://$HOST/x -d "{}" -o x.json', {
    HOST: '127.0.0.1:5500',
  })
  expect(curlRequest(words)).toEqual({
    method: 'PATCH',
    url: 'https://127.0.0.1:5500/x',
    headers: {},
    body: '{}',
    file: 'x.json',
  })
})

it.each([
  '{"org_id":"1","id":"2","type":"flutter","environment":"test"}',
  'Application 2 created (live)',
])('an id is found in what a request or a command prints: %s', (printed) => {
  expect(variablesIn(printed)).toEqual({ APPLICATION_ID: '2' })
})
