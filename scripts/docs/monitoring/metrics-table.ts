/** The table of metrics in docs/operate/watch.md, generated from the registry of the application. */
import { withDescribedMetrics } from '../../described-app.ts'
import { code, renderTable } from '../table.ts'

const HEADER = ['Name', 'Type', 'Labels', 'Meaning']

export const metricsTable = async (): Promise<string> =>
  await withDescribedMetrics((metrics) =>
    renderTable(
      HEADER,
      metrics
        .describe()
        .filter(({ name }) => name.startsWith('vigil_'))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1))
        .map(({ name, type, labels, help }) => [
          code(name),
          type,
          labels.map(code).join(', '),
          help,
        ]),
    ),
  )
