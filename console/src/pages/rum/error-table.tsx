/** Groups of errors as rows. */
import type { RumError } from '../../../../src/modules/rum/reading/schema.ts'
import { numberText, Table } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './rum.module.css'
import { rangeQuery } from './scope.tsx'
import { Age } from './words.tsx'

export function ErrorTable({ errors, range }: { errors: readonly RumError[]; range: string }) {
  return (
    <Table
      label="Errors"
      rows={errors}
      keyOf={({ fingerprint }) => fingerprint}
      columns={[
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
        { label: 'Errors', isNumber: true, cell: ({ count }) => numberText(count) },
        {
          label: 'Sessions',
          isNumber: true,
          cell: ({ affected_sessions }) => numberText(affected_sessions),
        },
        {
          label: 'Pages',
          cell: ({ pages }) => (pages.length === 0 ? '–' : <PageNames pages={pages} />),
        },
        { label: 'Last seen', cell: ({ last_seen }) => <Age at={last_seen} /> },
        { label: 'First seen', cell: ({ first_seen }) => <Age at={first_seen} /> },
      ]}
    />
  )
}

const TITLE_MAX_CHARS = 300

function PageNames({ pages }: { pages: readonly string[] }) {
  return (
    <span class={styles['names']}>
      {pages.map((page) => (
        <span key={page}>{page}</span>
      ))}
    </span>
  )
}
