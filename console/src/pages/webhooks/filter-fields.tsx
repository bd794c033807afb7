import type { EventFilter } from '../../../../src/modules/webhooks/extras/schema.ts'
import { Button, SelectField, TextField } from '../../components/index.ts'

type Operator = EventFilter['conditions'][number]['operator']
/** A condition as it is typed. */
export type Row = { field: string; operator: Operator; value: string }

export const EMPTY_ROW: Row = { field: 'data.', operator: 'eq', value: '' }

const OPERATORS: readonly { value: Operator; label: string }[] = [
  { value: 'eq', label: 'is' },
  { value: 'ne', label: 'is not' },
  { value: 'gt', label: 'is greater than' },
  { value: 'gte', label: 'is at least' },
  { value: 'lt', label: 'is less than' },
  { value: 'lte', label: 'is at most' },
  { value: 'in', label: 'is one of' },
  { value: 'contains', label: 'contains' },
  { value: 'starts_with', label: 'starts with' },
  { value: 'exists', label: 'exists' },
]
const OF_TEXTS: readonly Operator[] = ['contains', 'starts_with']

type Value = string | number | boolean

/** Numbers and truth values are typed as they are, and as texts in quotation marks. */
function valueOf(typed: string): Value {
  const text = typed.trim()
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  return /^".*"$/.test(text) ? text.slice(1, -1) : text
}

const typedOf = (value: Value): string =>
  typeof value === 'string' && value !== valueOf(value) ? `"${value}"` : String(value)

export const filterOf = (match: EventFilter['match'], rows: readonly Row[]): EventFilter | null =>
  rows.length === 0 ? null : { match, conditions: rows.map(conditionOf) }

function conditionOf({ field, operator, value }: Row): EventFilter['conditions'][number] {
  const common = { field: field.trim(), operator }
  if (operator === 'exists') return { ...common, value: value !== 'false' }
  if (operator === 'in') return { ...common, value: value.split(',').map(valueOf) }
  return { ...common, value: OF_TEXTS.includes(operator) ? value : valueOf(value) }
}

export const rowsOf = (filter: EventFilter | null): Row[] =>
  filter?.conditions.map(({ field, operator, value = '' }) => ({
    field,
    operator,
    value: OF_TEXTS.includes(operator) ? String(value) : [value].flat().map(typedOf).join(', '),
  })) ?? []

export function FilterFields({
  match,
  onMatch,
  rows,
  onChange,
}: {
  match: EventFilter['match']
  onMatch: (match: EventFilter['match']) => void
  rows: readonly Row[]
  onChange: (rows: Row[]) => void
}) {
  const change = (index: number, given: Partial<Row>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...given } : row)))
  return (
    <>
      {rows.length > 1 && (
        <SelectField
          label="Deliver when"
          value={match}
          options={[
            { value: 'all', label: 'all conditions match' },
            { value: 'any', label: 'any condition matches' },
          ]}
          onChange={onMatch}
        />
      )}
      {rows.map((row, index) => (
        <div class="row" key={index}>
          <TextField
            label={`Field ${index + 1}`}
            name={`filter.conditions.${index}`}
            value={row.field}
            placeholder="data.risk.risk_score"
            onChange={(field) => change(index, { field })}
            required
          />
          <SelectField
            label={`Operator ${index + 1}`}
            value={row.operator}
            options={OPERATORS}
            onChange={(operator) => change(index, { operator })}
          />
          <TextField
            label={`Value ${index + 1}`}
            value={row.value}
            placeholder={row.operator === 'exists' ? 'true or false' : ''}
            onChange={(value) => change(index, { value })}
          />
          <Button
            size="small"
            aria-label={`Remove condition ${index + 1}`}
            onClick={() => onChange(rows.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
    </>
  )
}
