/** Writes a dashboard in the format that Grafana imports: two panels a row, one line for each query. */

export type Panel = {
  title: string
  /** An id of a unit of Grafana. */
  unit: string
  /** Legends and expressions in PromQL. */
  queries: Readonly<Record<string, string>>
}

export type Dashboard = { name: string; title: string; panels: readonly Panel[] }

const COLUMNS = 2
/** Grafana divides the width into 24 units. */
const WIDTH = 24 / COLUMNS
const HEIGHT = 8
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

export function grafanaJson({ name, title, panels }: Dashboard): string {
  const dashboard = {
    uid: `vigil-${name}`,
    title,
    tags: ['vigil'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels: panels.map(panelOf),
  }
  return `${JSON.stringify(dashboard, undefined, 2)}\n`
}

const panelOf = ({ title, unit, queries }: Panel, index: number) => ({
  id: index + 1,
  type: 'timeseries',
  title,
  datasource: DATASOURCE,
  gridPos: {
    x: (index % COLUMNS) * WIDTH,
    y: Math.floor(index / COLUMNS) * HEIGHT,
    w: WIDTH,
    h: HEIGHT,
  },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: Object.entries(queries).map(([legendFormat, expr], query) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + query),
    expr,
    legendFormat,
  })),
})
