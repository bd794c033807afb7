/** Imports subscriptions of teams that migrate, in portions of one transaction each (OP-161). */
import type { Clock } from '../../../platform/clock.ts'
import { AppError, invalidRequest } from '../../../platform/http/errors.ts'
import { faultOf, type Validators } from '../../../platform/http/validation.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { requireApplication } from '../../applications/index.ts'
import type { Import } from '../apps/registration.ts'
import type { Registrations } from '../apps/registrations.ts'
import { readToken, TOKEN_WANTED } from '../subscriptions/token.ts'
import { PROVIDER_OF } from '../subscriptions/view.ts'
import { type ImportedLine, type ImportResult, importedLine } from './schema.ts'

export type Imports = {
  /**
   * Imports what is valid. Repeating an import changes nothing.
   * @param entries at most `IMPORTED_TOGETHER_MAX`, unchecked
   * @throws AppError 400 naming `application_id`
   */
  run(orgId: string, applicationId: string, entries: readonly unknown[]): Promise<ImportResult>
}

export type ImportDependencies = {
  db: Database
  registrations: Pick<Registrations, 'apply'>
  validators: Pick<Validators, 'compileBody'>
  clock: Clock
  newId: NewId
}

export function createImports(deps: ImportDependencies): Imports {
  const { db, registrations, validators, clock, newId } = deps
  const isLine = validators.compileBody(importedLine)

  const read = (entry: unknown): ImportedLine => {
    if (!isLine(entry)) throw faultOf(isLine.errors)
    const line = entry as ImportedLine
    // Bodies of requests have been checked for this before; lines of files have not.
    for (const [name, value] of Object.entries(line)) {
      if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
        throw invalidRequest(name, `${name} must contain neither NUL nor unpaired surrogates`)
      }
    }
    const provider = PROVIDER_OF[line.platform]
    const token = readToken(provider, line.token)
    if (token === undefined) {
      throw invalidRequest('token', `token must be ${TOKEN_WANTED[provider]}`)
    }
    return { ...line, token }
  }

  return {
    run: async (orgId, applicationId, entries) => {
      const { id: application_id } = await requireApplication(db, orgId, applicationId)
      const refused: ImportResult['refused'] = []
      const requests: Import[] = []
      for (const [index, entry] of entries.entries()) {
        try {
          const { platform, token, external_user_id, ...changes } = read(entry)
          requests.push({
            kind: 'import',
            org_id: orgId,
            application_id,
            provider: PROVIDER_OF[platform],
            token,
            external_user_id,
            changes,
            new_id: newId(clock.now()),
          })
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          const { message, content } = error.body
          refused.push({ index, field: String(content?.['field']), message })
        }
      }
      const outcomes = requests.length === 0 ? [] : await registrations.apply(requests)
      const created = outcomes.filter(({ kind }) => kind === 'created').length
      return { created, existing: outcomes.length - created, refused }
    },
  }
}
