/** Filters of a list. Their values are in the address, so that a link reproduces the view. */
import type { ComponentChildren } from 'preact'
import type { View } from '../shell/filters.ts'
import { Button } from './button.tsx'
import { CheckField, type Option, SelectField } from './fields.tsx'
import { FilterField } from './filter-field.tsx'
import { Toolbar } from './page.tsx'

/** A select with `options`, a checkbox with `checked`, otherwise a text field. */
export type Filter<Name extends string> = {
  name: Name
  label: string
  options?: readonly Option[]
  /** The options are loaded after the page. A width of its own keeps the other filters in place. */
  isLoaded?: boolean
  /** The value in the address while the box is checked. */
  checked?: string
  type?: 'search' | 'date'
  placeholder?: string
  maxLength?: number
}

export type FilterBarProps<Name extends string> = {
  label: string
  view: View<Name>
  filters: readonly Filter<Name>[]
  /** Further controls behind the filters. */
  children?: ComponentChildren
}

export function FilterBar<Name extends string>(props: FilterBarProps<Name>) {
  const { label, view, filters, children } = props
  const [values, set, { isFiltered, clear }] = view
  const change = (name: Name) => (value: string) =>
    set({ [name]: value } as Partial<Record<Name, string>>, { replace: true })
  const count = filters.filter(({ name }) => values[name] !== '').length
  return (
    <Toolbar label={label} class="filters" count={count}>
      {filters.map((filter) => (
        <FilterControl
          key={filter.name}
          filter={filter}
          value={values[filter.name]}
          onChange={change(filter.name)}
        />
      ))}
      {isFiltered && (
        <Button kind="quiet" onClick={clear}>
          Clear filters
        </Button>
      )}
      {children}
    </Toolbar>
  )
}

type ControlProps = { filter: Filter<string>; value: string; onChange: (value: string) => void }

function FilterControl({ filter, value, onChange }: ControlProps) {
  const { name: _name, options, isLoaded = false, checked, ...field } = filter
  if (options) {
    const fixed = isLoaded ? { class: 'select-fixed' } : {}
    return <SelectField {...field} {...fixed} {...{ options, value, onChange }} />
  }
  if (checked === undefined) return <FilterField {...field} value={value} onChange={onChange} />
  return (
    <CheckField
      label={field.label}
      checked={value === checked}
      onChange={(isChecked) => onChange(isChecked ? checked : '')}
    />
  )
}
