/**
 * `npm run sdk`: writes the generated parts of the server clients from docs/openapi.json. The rest of
 * the clients is written by hand and lies next to them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../../src/platform/package-root.ts'
import { readDocument } from './document.ts'
import { pythonOperations, pythonTypes } from './python.ts'
import { typescriptOperations, typescriptTypes } from './typescript.ts'

export type GeneratedFile = { path: string; text: string }

/** @param root folder of the package */
export function generatedFiles(root: string): GeneratedFile[] {
  const text = readFileSync(join(root, 'docs', 'openapi.json'), 'utf8')
  const document = readDocument(JSON.parse(text) as Record<string, unknown>)
  return [
    { path: 'sdk/server-ts/src/generated/types.ts', text: typescriptTypes(document) },
    { path: 'sdk/server-ts/src/generated/operations.ts', text: typescriptOperations(document) },
    { path: 'sdk/server-python/vigil_client/_types.py', text: pythonTypes(document) },
    { path: 'sdk/server-python/vigil_client/_operations.py', text: pythonOperations(document) },
  ]
}

/** @returns paths of the files that differ from what the OpenAPI document generates */
export const outdatedFiles = (root: string): string[] =>
  generatedFiles(root)
    .filter(({ path, text }) => {
      const file = join(root, path)
      return !existsSync(file) || readFileSync(file, 'utf8') !== text
    })
    .map(({ path }) => path)

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = packageRoot()
  for (const { path, text } of generatedFiles(root)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
