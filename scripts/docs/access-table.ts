/** The table of docs/access.md, generated from the declarations of the routes. */
import type { RouteOptions } from 'fastify'
import { callerOf } from '../../src/modules/access/index.ts'
import { withDescribedApp } from '../described-app.ts'
import { renderTable } from './table.ts'

const HEADER = ['Route', 'Caller', 'Plan', 'Response to others']

export const accessTable = async (): Promise<string> =>
  await withDescribedApp((app) =>
    renderTable(
      HEADER,
      app.declaredRoutes
        .filter(({ url }) => !url.startsWith('/docs/'))
        .toSorted((a, b) => compare(a.url, b.url) || compare(String(a.method), String(b.method)))
        .map(rowOf),
    ),
  )

function rowOf({ method, url, config }: RouteOptions): string[] {
  const access = config?.access ?? 'public'
  const { plan = '', others = 404 } = typeof access === 'object' ? access : { others: '' }
  return [`\`${[method].flat().join(', ')} ${url}\``, callerOf(config ?? {}), plan, String(others)]
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
