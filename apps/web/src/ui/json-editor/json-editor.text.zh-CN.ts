/** The sentences of the JSON editor. */
export const jsonEditorZhCN = {
  right: 'JSON 格式正确',
  faulty: (message: string, more: number) => (more > 0 ? `${message}，另有 ${more} 处` : message),
  caret: (line: number, column: number) => `第 ${line} 行，第 ${column} 列`,
  phrases: {
    'Fold line': '折叠',
    'Unfold line': '展开',
    unfold: '展开',
    'folded code': '已折叠的内容',
    'Folded lines': '已折叠第',
    'Unfolded lines': '已展开第',
    to: '至',
    Completions: '可选内容',
    'Control character': '控制字符',
    'Selection deleted': '已删除所选内容',
    close: '关闭',
  } as Record<string, string>,
}
