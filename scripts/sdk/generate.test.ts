import { expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { readDocument } from './document.ts'
import { outdatedFiles } from './generate.ts'

it('the generated parts of the clients are those of docs/openapi.json; otherwise run `npm run sdk`', () => {
  expect(outdatedFiles(packageRoot())).toEqual([])
})

it('an operation without a rule for retries is refused', () => {
  const operation = { operationId: 'inventThing', responses: {} }
  const document = { info: { version: '1' }, paths: { '/things': { post: operation } } }
  expect(() => readDocument(document)).toThrow('inventThing has no rule')
})
