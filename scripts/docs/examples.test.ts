import { describe, expect, it } from 'vitest'
import { curlRequest, isPolled, shellWords, variablesIn, withoutRest } from './examples.ts'

describe('output that a document omits', () => {
  const printed = { id: 1, name: 'a', list: [{ id: 2, name: 'b' }, { id: 3 }] }

  it.each<[string, unknown]>([
    ['members of an object', { id: 1, '…': '…' }],
    [
      'members of a nested object',
      { id: 1, name: 'a', list: [{ name: 'b', '…': '…' }, { id: 3 }] },
    ],
    ['the end of a list', { id: 1, name: 'a', list: [{ id: 2, name: 'b' }, '…'] }],
    ['all of a list', { id: 1, name: 'a', list: ['…'] }],
  ])('can be %s', (_, expected) => {
    expect(withoutRest(printed, expected)).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['a member with another value', { id: 2, '…': '…' }],
    ['a member that was not printed', { id: 1, price: 1, '…': '…' }],
    ['an additional member that was printed', { id: 1, name: 'a' }],
    ['an additional element that was printed', { id: 1, name: 'a', list: [{ id: 2, name: 'b' }] }],
    ['an element that was not printed', { ...printed, list: [...printed.list, { id: 4 }, '…'] }],
  ])('cannot be %s', (_, expected) => {
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
])('only reads of devices and of push are repeated: %s for %s', (expected, command) => {
  const example = { kind: 'request' as const, command, expected: '{}', line: 1 }
  expect(isPolled(example)).toBe(expected)
})

it('a request can trust an authority and write its response to a file', () => {
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
])('an id is found in the output of a request or a command: %s', (printed) => {
  expect(variablesIn(printed)).toEqual({ APPLICATION_ID: '2' })
})
