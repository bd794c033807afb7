/** Route of the search of the console. The text is in the body, so that no log of addresses has it. */
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { readSearchText } from '../../platform/http/cursor-paging.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { modeParameter, ownerOf } from '../access/index.ts'
import type { SearchService } from './service.ts'

const TEXT_MIN_CHARS = 2
const TEXT_MAX_CHARS = 200

const SEARCH = {
  config: { access: { member: 'member' }, rate_class: 'console' },
  schema: {
    body: Type.Object({ ...modeParameter, text: Type.String({ maxLength: TEXT_MAX_CHARS }) }),
  },
} as const

export function searchRoutes(app: App, { search }: { search: SearchService }): void {
  app.post('/console/api/search', SEARCH, async ({ member, body }) => {
    const text = readSearchText('text', body.text.trim()) ?? ''
    if (text.length < TEXT_MIN_CHARS) {
      throw invalidRequest('text', `text must have at least ${TEXT_MIN_CHARS} characters`)
    }
    return envelope('Search', await search.find(ownerOf(member, body), member, text))
  })
}
