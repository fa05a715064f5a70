// Formulas as the program takes them apart (src/render/formula.cpp): a list of texts and of
// {sub: [...]}, {sup: [...]}, {root: [...]}, which hold lists again.

import {makeElement} from './page_parts.js';

// A lowered part and a raised one right after it stand above each other.
export function formulaNodes(parts) {
  const nodes = [];
  for (let i = 0; i < parts.length; ++i) {
    const part = parts[i];
    if (typeof part === 'string') {
      nodes.push(part);
    } else if (part.root) {
      nodes.push('√', makeElement('span', {class: 'root'}, ...formulaNodes(part.root)));
    } else if (part.sub && typeof parts[i + 1] === 'object' && parts[i + 1].sup) {
      nodes.push(makeElement('span', {class: 'scripts'},
          makeElement('sup', {}, ...formulaNodes(parts[++i].sup)),
          makeElement('sub', {}, ...formulaNodes(part.sub))));
    } else {
      const [[place, inner]] = Object.entries(part);
      nodes.push(makeElement(place, {}, ...formulaNodes(inner)));
    }
  }
  return nodes;
}

const kPlainSigns = {sub: '_', sup: '^', root: '√'};

// As one line of text: brackets where an index holds more than one word.
export function plainFormula(parts) {
  return parts.map((part) => {
    if (typeof part === 'string') return part;
    const [[place, inner]] = Object.entries(part);
    const text = plainFormula(inner);
    if (place === 'sup' && text === 'T') return 'ᵀ';
    return kPlainSigns[place] + (/[ +/]/.test(text) ? `(${text})` : text);
  }).join('');
}
