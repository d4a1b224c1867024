import { DayRange } from '../../ui/data-table/day-range.tsx'
import { FilterBar } from '../../ui/data-table/filter-bar.tsx'
import { SearchField } from '../../ui/fields/search-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { filtering, type Scope, searching, type UserFilter } from './wanted.ts'

interface Props {
  filter: UserFilter
  onChange: (change: Record<string, string | undefined>) => void
}

/** Which users the table shows: those a search finds, or those that filters leave. */
export function UserFilters({ filter, onChange }: Props) {
  const text = useMerchantUsersText().users
  const { search = '', only, ...days } = filter
  return (
    <FilterBar
      first={<SearchField label={text.search} found={search} onSearch={(wanted) => onChange(searching(wanted))} />}
      inUse={Boolean(only || days.from || days.to)}
    >
      <Segmented<Scope | undefined>
        label={text.scope}
        value={only}
        options={[
          { value: undefined, label: text.everyone },
          { value: 'disabled', label: text.disabled },
          { value: 'operators', label: text.operator },
          { value: 'unprotectedOperators', label: text.unprotectedOperator },
        ]}
        onChange={(wanted) => onChange(filtering({ only: wanted }))}
      />
      <DayRange label={text.since} {...days} onChange={(change) => onChange(filtering(change))} />
    </FilterBar>
  )
}
