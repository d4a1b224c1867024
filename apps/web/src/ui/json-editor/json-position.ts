import type { syntaxTree } from '@codemirror/language'

/** CodeMirror's tree of a JSON text, which is there even while the text is broken. */
export type Tree = ReturnType<typeof syntaxTree>
export type Node = Tree['topNode']
export type Path = (string | number)[]

export interface Position {
  from: number
  to: number
}

const values = ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']

const children = (node: Node): Node[] => {
  const found: Node[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child)
  return found
}

const isValue = ({ name }: Node) => values.includes(name)

function nameOf(property: Node, text: (position: Position) => string): string | undefined {
  const name = property.getChild('PropertyName')
  if (!name) return undefined
  try {
    return JSON.parse(text(name)) as string
  } catch {
    return undefined
  }
}

/** The position of a value; of a missing one, where it would belong. Objects and arrays are shown at their key. */
export function positionOf(tree: Tree, text: (position: Position) => string, path: Path): Position {
  let value = children(tree.topNode).find(isValue)
  let position: Position = { from: value?.from ?? 0, to: (value?.from ?? 0) + 1 }
  for (const step of path) {
    if (!value) break
    const inner: Node[] = children(value)
    const property = inner.find((child) => child.name === 'Property' && nameOf(child, text) === String(step))
    const next = value.name === 'Array' ? inner.filter(isValue)[Number(step)] : property
    if (!next) break
    const name = next.getChild('PropertyName')
    value = name ? children(next).find(isValue) : next
    const wide = !value || value.name === 'Object' || value.name === 'Array'
    position = wide ? { from: (name ?? next).from, to: name?.to ?? next.from + 1 } : (value ?? next)
  }
  return { from: position.from, to: position.to }
}

/** The keys and numbers that lead to the value, or the property, around a node. */
export function pathTo(node: Node, text: (position: Position) => string): Path {
  const path: Path = []
  for (let at: Node | null = node; at?.parent; at = at.parent) {
    if (at.name === 'Property') path.unshift(nameOf(at, text) ?? '')
    else if (at.parent.name === 'Array' && isValue(at)) path.unshift(indexOf(at))
  }
  return path
}

const indexOf = (node: Node) =>
  children(node.parent ?? node)
    .filter(isValue)
    .findIndex(({ from }) => from === node.from)

/** The names that stand in an object already. */
export const namesIn = (object: Node, text: (position: Position) => string): string[] =>
  object.getChildren('Property').flatMap((property) => nameOf(property, text) ?? [])
