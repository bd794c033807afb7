import type { RumError } from '../../../../src/modules/rum/reading/schema.ts'
import { Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'
import styles from './rum.module.css'
import { rangeQuery } from './scope.tsx'

const TITLE_MAX_CHARS = 300

export const errorColumns = (range: string): readonly Column<RumError>[] => [
  {
    label: 'Error',
    isWide: true,
    cell: ({ fingerprint, error_type, title, message }) => (
      <div class={styles['error']}>
        <PageLink to="/rum/error" query={{ fingerprint, ...rangeQuery(range) }}>
          {error_type || 'Error without a type'}
        </PageLink>
        <span>{(title || message).slice(0, TITLE_MAX_CHARS) || '(empty message)'}</span>
      </div>
    ),
  },
  { label: 'Errors', isNumber: true, cell: ({ count }) => count },
  { label: 'Sessions', isNumber: true, cell: ({ affected_sessions }) => affected_sessions },
  {
    label: 'Pages',
    cell: ({ pages }) =>
      pages.length > 0 ? (
        <span class={styles['names']}>
          {pages.map((page) => (
            <span key={page}>{page}</span>
          ))}
        </span>
      ) : null,
  },
  { label: 'Last seen', cell: ({ last_seen }) => <Time at={last_seen} as="age" /> },
  { label: 'First seen', cell: ({ first_seen }) => <Time at={first_seen} as="age" /> },
]
