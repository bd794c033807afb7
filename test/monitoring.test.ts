/**
 * Checks the dashboards of Grafana, the alerts of Prometheus and the runbook against a running service:
 * expressions parse, the metrics and labels that they name exist, and each alert has a section.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withDescribedMetrics } from '../scripts/described-app.ts'
import { startJobs } from '../src/app/index.ts'
import type { MetricDescription } from '../src/platform/metrics.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { useHarness } from './harness.ts'

type Alert = { alert: string; expr: string; annotations: Record<string, string> }
type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] }
type Query = { place: string; expr: string }

const DEPLOY = join(packageRoot(), 'deploy')
const RULES = join(DEPLOY, 'prometheus')
const textOf = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8')

const rules = parse(textOf('deploy/prometheus/vigil.rules.yml')) as {
  groups: { rules: Alert[] }[]
}
const alerts = rules.groups.flatMap((group) => group.rules)
const runbook = new Map(
  textOf('docs/operate/runbook.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
)

const queriesOf = (file: string): Query[] => {
  const { panels } = JSON.parse(textOf('deploy/grafana', file)) as Dashboard
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ place: `${file}: ${title}`, expr })),
  )
}

const queries: Query[] = [
  ...alerts.map(({ alert, expr }) => ({ place: alert, expr })),
  ...readdirSync(join(DEPLOY, 'grafana')).flatMap(queriesOf),
]

/** Texts of the nodes of these kinds in an expression. */
function nodesOf(expr: string, kinds: readonly string[]): string[] {
  const found: string[] = []
  parser.parse(expr).iterate({
    enter: ({ name, from, to }) => {
      if (kinds.includes(name)) found.push(expr.slice(from, to))
    },
  })
  return found
}

const metricsIn = (expr: string): string[] => nodesOf(expr, ['Identifier'])
const labelsIn = (expr: string): string[] => nodesOf(expr, ['LabelName'])

/** Prometheus itself adds these. */
const OWN_METRICS = ['up']
const OWN_LABELS = ['instance', 'job', 'le']

const harness = useHarness()
let known: ReadonlyMap<string, MetricDescription>
beforeAll(async () => {
  const { core, parts, app } = { ...harness() }
  await startJobs(core, parts).stop()
  const { payload } = await app.inject('/metrics')
  const shown = new Set([...payload.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const described = core.metrics.describe().filter(({ name }) => shown.has(name))
  known = new Map(
    described.flatMap((metric) =>
      metric.type === 'histogram'
        ? ['_bucket', '_sum', '_count'].map((suffix) => [`${metric.name}${suffix}`, metric])
        : [[metric.name, metric]],
    ),
  )
})

describe('an expression of a dashboard or an alert', () => {
  it.each(queries)('of $place is PromQL over metrics and labels that exist', ({ expr }) => {
    expect(nodesOf(expr, ['⚠'])).toEqual([])
    const metrics = metricsIn(expr)
    expect(metrics.length).toBeGreaterThan(0)
    expect(metrics.filter((name) => !known.has(name) && !OWN_METRICS.includes(name))).toEqual([])
    const labels = [...metrics.flatMap((name) => known.get(name)?.labels ?? []), ...OWN_LABELS]
    expect(labelsIn(expr).filter((label) => !labels.includes(label))).toEqual([])
  })

  it('that is wrong is found', () => {
    expect(nodesOf('sum(rate(up[5m])', ['⚠'])).not.toEqual([])
    expect(metricsIn('sum by (kind) (rate(vigil_x_total{a="b"}[5m]))')).toEqual(['vigil_x_total'])
    expect(labelsIn('sum by (kind) (vigil_x_total{a="b"})')).toEqual(['kind', 'a'])
  })
})

it('the documents list the metrics of a running service', async () => {
  const names = (all: MetricDescription[]) =>
    all.map(({ name, type, labels }) => `${name} ${type} ${labels.join()}`).toSorted()
  const documented = await withDescribedMetrics((metrics) => names(metrics.describe()))
  expect(documented).toEqual(names(harness().core.metrics.describe()))
})

describe('the runbook', () => {
  it('has a section for each alert, and no other', () => {
    expect([...runbook.keys()]).toEqual(alerts.map(({ alert }) => alert))
  })

  it.each(alerts)('covers $alert', ({ alert, annotations }) => {
    expect(annotations['runbook']).toBe(`docs/operate/runbook.md#${alert.toLowerCase()}`)
    const items = [...(runbook.get(alert) ?? '').matchAll(/^\*\*(.+?)\.\*\*/gm)]
    expect(items.map(([, name]) => name)).toEqual([
      'Meaning',
      'Users notice',
      'Look',
      'Do',
      'Escalate',
    ])
  })

  const statements = [...runbook.values()].flatMap((section) =>
    [...section.matchAll(/-c (?:"(.+)"|'(.+)')$/gm)].map(([, one, other]) => one ?? other ?? ''),
  )
  it.each(statements)('has SQL that the database understands: %s', async (statement) => {
    await sql`explain ${sql.raw(statement)}`.execute(harness().stores.db)
  })
})

const promtool = (args: string[]) =>
  spawnSync('promtool', args, { cwd: RULES, encoding: 'utf8', timeout: 60_000 })
const isInstalled = promtool(['--version']).status === 0

describe.skipIf(!isInstalled)('promtool (skipped if it is not installed)', () => {
  it.each([
    ['check', 'rules', 'vigil.rules.yml'],
    ['test', 'rules', 'vigil.rules.test.yml'],
  ])('passes %s %s %s', (...args) => {
    const { status, stdout, stderr } = promtool(args)
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({
      status: 0,
      output: '',
    })
  })
})
