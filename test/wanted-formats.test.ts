/** All schemas are valid, and a text of the wrong format is refused with what is wanted. */
import fastJsonStringify from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import { describe, expect, it } from 'vitest'
import { createValidators, faultOf } from '../src/platform/http/validation.ts'
import { useHarness } from './harness.ts'

const harness = useHarness()

type Schema = { [keyword: string]: unknown }

const PARTS = ['body', 'querystring', 'params', 'headers'] as const
/** Matches no format and few patterns. */
const WRONG = '\u0000 !'

function* restrictedTexts(schema: unknown, path: string): Generator<[string, Schema]> {
  if (typeof schema !== 'object' || schema === null) return
  const described = schema as Schema
  if (typeof described['pattern'] === 'string' || typeof described['format'] === 'string') {
    yield [path, described]
  }
  for (const [name, part] of Object.entries(described)) {
    if (name !== 'examples' && name !== 'example') yield* restrictedTexts(part, `${path}.${name}`)
  }
}

describe('every schema of a request', () => {
  it('is valid and can be compiled', () => {
    const { compiler } = createValidators({ is_eager: true })
    // Routes with a validator of their own have a schema that only describes what they accept.
    const routes = harness().app.declaredRoutes.filter((route) => !route.validatorCompiler)
    const schemas = routes.flatMap(({ method, url, schema = {} }) =>
      PARTS.flatMap((httpPart) => {
        const part = (schema as Partial<Record<string, TSchema>>)[httpPart]
        return part === undefined ? [] : [{ schema: part, method: String(method), url, httpPart }]
      }),
    )
    expect(schemas.length).toBeGreaterThan(100)
    for (const each of schemas) compiler(each)
  })

  it('is refused when it is not valid', () => {
    const { compileBody } = createValidators({ is_eager: true })
    expect(() => compileBody({ type: 'string', minLength: -1 })).toThrow(/minLength/)
    expect(() => compileBody({ type: 'string', minLenght: 1 })).toThrow(/minLenght/)
  })
})

describe('every schema of a response', () => {
  it('can be compiled', () => {
    const responses = harness().app.declaredRoutes.flatMap(({ schema = {} }) =>
      Object.values((schema.response ?? {}) as Record<string, Schema>),
    )
    const schemas = responses.filter((response) => !('content' in response))
    expect(schemas.length).toBeGreaterThan(100)
    for (const schema of schemas) expect(fastJsonStringify(schema)).toBeTypeOf('function')
  })
})

describe('every pattern and format of a request', () => {
  it('is explained in the message about a text that does not match', () => {
    const texts = harness().app.declaredRoutes.flatMap(({ method, url, schema = {} }) =>
      PARTS.flatMap((part) => [
        ...restrictedTexts((schema as Schema)[part], `${String(method)} ${url} ${part}`),
      ]),
    )
    expect(texts.length).toBeGreaterThan(30)
    const { compileBody } = createValidators()
    for (const [path, { pattern, format, ...rest }] of texts) {
      const restriction = pattern === undefined ? { format } : { pattern }
      const validate = compileBody({ 'x-wanted': rest['x-wanted'], ...restriction })
      expect(validate(WRONG), path).toBe(false)
      const { message } = faultOf(validate.errors).body
      expect(message, path).toMatch(/^body must be an? |^body must be one or more of |such as /)
      expect(message, path).not.toContain('undefined')
    }
  })
})
