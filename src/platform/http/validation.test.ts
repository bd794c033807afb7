import { type TSchema, Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import { choice } from './schemas.ts'
import { createValidators, faultOf } from './validation.ts'

const body = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  kind: Type.Optional(choice(['big', 'small'])),
  at: Type.Optional(Type.String({ format: 'date-time' })),
  code: Type.Optional(Type.String({ pattern: '^[0-9]{2}$', 'x-wanted': 'two digits, such as 42' })),
  id: Type.Optional(Type.String({ format: 'uuid' })),
  note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  items: Type.Optional(
    Type.Array(
      Type.Object({
        quantity: Type.Integer({ minimum: 1 }),
        'a/b~c': Type.Optional(Type.Number()),
      }),
      { maxItems: 2 },
    ),
  ),
  place: Type.Optional(Type.Object({ latitude: Type.Number({ minimum: -90, maximum: 90 }) })),
})

function faultIn(schema: TSchema, value: unknown) {
  const validate = createValidators().compileBody(schema)
  if (validate(value)) throw new Error('the value was accepted')
  return faultOf(validate.errors).body
}

describe('a fault in a body', () => {
  it.each([
    [{}, 'name', 'name is required'],
    [{ name: 5 }, 'name', 'name must be string'],
    [{ name: null }, 'name', 'name must be string'],
    [{ name: '' }, 'name', 'name must not have fewer than 1 characters'],
    [{ name: 'abcdef' }, 'name', 'name must not have more than 5 characters'],
    [{ name: 'a', kind: 'huge' }, 'kind', 'kind must be one of big, small'],
    [
      { name: 'a', at: 'yesterday' },
      'at',
      'at must be a time in RFC 3339, such as 2026-03-01T12:00:00Z',
    ],
    [{ name: 'a', code: 'x' }, 'code', 'code must be two digits, such as 42'],
    [
      { name: 'a', id: 'x' },
      'id',
      'id must be a UUID, such as 0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
    ],
    [{ name: 'a', note: 5 }, 'note', 'note must be string'],
    [{ name: 'a', items: {} }, 'items', 'items must be array'],
    [{ name: 'a', items: [{}] }, 'items.0.quantity', 'items.0.quantity is required'],
    [
      { name: 'a', items: [{ quantity: 1 }, { quantity: '1' }] },
      'items.1.quantity',
      'items.1.quantity must be integer',
    ],
    [
      { name: 'a', items: [{ quantity: 1.5 }] },
      'items.0.quantity',
      'items.0.quantity must be integer',
    ],
    [{ name: 'a', items: [{ quantity: 0 }] }, 'items.0.quantity', 'items.0.quantity must be >= 1'],
    [
      { name: 'a', items: [{ quantity: 1, 'a/b~c': 'x' }] },
      'items.0.a/b~c',
      'items.0.a/b~c must be number',
    ],
    [
      { name: 'a', items: [1, 2, 3].map((quantity) => ({ quantity })) },
      'items',
      'items must not have more than 2 items',
    ],
    [{ name: 'a', place: { latitude: 91 } }, 'place.latitude', 'place.latitude must be <= 90'],
    [[], 'body', 'body must be object'],
    [null, 'body', 'body must be object'],
    ['{}', 'body', 'body must be object'],
  ])('is reported with its path: %j', (value, field, message) => {
    expect(faultIn(body, value)).toEqual({
      success: false,
      message,
      code: 'invalid_request',
      content: { field },
    })
  })

  it('includes UUIDs in any form other than the one that PostgreSQL accepts', () => {
    const one = Type.Object({ id: Type.String({ format: 'uuid' }) })
    const id = '01a1f710-bcc4-76e5-80ea-94b95258b9a7'
    expect(createValidators().compileBody(one)({ id })).toBe(true)
    for (const other of [`urn:uuid:${id}`, `{${id}}`, id.replaceAll('-', ''), `${id}\n`, '']) {
      expect(faultIn(one, { id: other })).toMatchObject({ content: { field: 'id' } })
    }
  })

  it('counts lengths in characters, not in code units', () => {
    const validate = createValidators().compileBody(body)
    expect(validate({ name: '😀'.repeat(5) })).toBe(true)
    expect(validate({ name: '😀'.repeat(6) })).toBe(false)
  })
})

describe('query and path', () => {
  const app = createBareServer()
  const querystring = Type.Object({
    org_id: Type.String({ minLength: 1 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    all: Type.Optional(Type.Boolean()),
    level: Type.Optional(choice(['info', 'error'])),
    tag: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    least: Type.Optional(Type.Number()),
  })
  app.get('/things/:id', { config: { access: 'public' }, schema: { querystring } }, (request) => ({
    query: request.query,
  }))

  it('leave a text unchanged that is not declared as a number', async () => {
    const { body: text } = await app.inject('/things/1?org_id=007&tag=1&tag=2&all=false')
    expect(JSON.parse(text)).toEqual({
      query: { org_id: '007', tag: ['1', '2'], all: false, limit: 50 },
    })
  })

  it('are converted to their declared types, with defaults', async () => {
    const { body: text } = await app.inject('/things/1?org_id=7&all=true&other=5&tag=a&least=-5e-7')
    expect(JSON.parse(text)).toEqual({
      query: { org_id: '7', all: true, limit: 50, other: '5', tag: ['a'], least: -5e-7 },
    })
  })

  it('are left out when they are empty', async () => {
    const { body: text } = await app.inject('/things/1?org_id=7&limit=&level=&all=&least=&other=')
    expect(JSON.parse(text)).toEqual({ query: { org_id: '7', limit: 50 } })
  })

  it.each([
    ['', 'org_id', 'org_id is required'],
    ['org_id=', 'org_id', 'org_id must not have fewer than 1 characters'],
    ['org_id=1&limit=abc', 'limit', 'limit must be integer'],
    ['org_id=1&limit=1e1', 'limit', 'limit must be integer'],
    ['org_id=1&limit=5.0', 'limit', 'limit must be integer'],
    ['org_id=1&limit=NaN', 'limit', 'limit must be integer'],
    ['org_id=1&limit=Infinity', 'limit', 'limit must be integer'],
    ['org_id=1&limit=1e400', 'limit', 'limit must be integer'],
    ['org_id=1&limit=007', 'limit', 'limit must be integer'],
    ['org_id=1&limit=0x10', 'limit', 'limit must be integer'],
    ['org_id=1&limit=%20', 'limit', 'limit must be integer'],
    ['org_id=1&limit=%005', 'limit', 'limit must be integer'],
    ['org_id=1&tag=a&tag=', 'tag.1', 'tag.1 must not have fewer than 1 characters'],
    ['org_id=1&limit=1.5', 'limit', 'limit must be integer'],
    ['org_id=1&limit=0', 'limit', 'limit must be >= 1'],
    ['org_id=1&limit=101', 'limit', 'limit must be <= 100'],
    ['org_id=1&limit=1&limit=2', 'limit', 'limit must be integer'],
    ['org_id=1&org_id=2', 'org_id', 'org_id must be string'],
    ['org_id=1&all=yes', 'all', 'all must be boolean'],
    ['org_id=1&level=debug', 'level', 'level must be one of info, error'],
  ])('report a fault with its name: %s', async (query, field, message) => {
    const { statusCode, body: text } = await app.inject(`/things/1?${query}`)
    expect(statusCode).toBe(400)
    expect(JSON.parse(text)).toEqual({
      success: false,
      message,
      code: 'invalid_request',
      content: { field },
    })
  })
})
