// The controls of heads and differences.

import {colormapChoices} from './colors.js';
import {saveViewAsPng, saveViewAsSvg} from './save_view.js';
import {buttonControl, checkControl, choiceControl, countControl, selectControl,
  thresholdControl} from './view_controls.js';

// By name, so that a view can leave some out.
export function colorControls(report, store) {
  const maps = colormapChoices(report.colormaps);
  return {
    colormap: selectControl(store, {key: 'colormap', label: 'Colours',
      options: [['auto', 'by theme'], ...maps.map((name) => [name, name])]}),
    scale: selectControl(store, {key: 'scale', label: 'Scale',
      options: [['linear', 'linear'], ['sqrt', 'square root'], ['log', 'logarithmic']]}),
    norm: selectControl(store, {key: 'norm', label: 'Rows',
      title: 'Each row by its own largest weight',
      options: [['none', 'as they are'], ['row', 'by row maximum']]}),
    range: selectControl(store, {key: 'range', label: 'Range',
      title: 'What the strongest colour means',
      options: [['shown', 'largest shown'], ['head', 'largest of each'], ['one', '0 to 1']]}),
    dropFirst: checkControl(store, {key: 'dropFirst', label: 'Drop first',
      title: 'Leave out the first key, where many heads park their attention'}),
    mask: checkControl(store, {key: 'mask', label: 'Show mask', fallback: true,
      title: 'Draw what may not be attended to apart from a weight of 0'}),
  };
}

export function directionControl(store) {
  return choiceControl(store, {key: 'direction', label: 'Chosen token', options: [
    ['from', 'attends to', 'Colour what the chosen token attends to'],
    ['to', 'is attended by', 'Colour what attends to the chosen token']]});
}

export function lineControls(store) {
  return {
    threshold: thresholdControl(store, {key: 'threshold', label: 'Lines from',
      title: 'Lines of smaller weights are left out'}),
    topk: countControl(store, {key: 'topk', label: 'Top k', most: 1000,
      title: 'Lines kept for each query; 0 keeps all'}),
  };
}

// Zoom and saving. `view` has panels, pictures() and fileName().
export function viewButtons(view) {
  const save = (how) => () => {
    const pictures = view.pictures();
    if (pictures.length > 0) how(pictures, view.fileName(), pictures.length > 4 ? 3 : 2);
  };
  return [
    buttonControl('−', 'Zoom out', () => view.panels.zoomBy(1 / 1.5)),
    buttonControl('+', 'Zoom in', () => view.panels.zoomBy(1.5)),
    buttonControl('All', 'Show the whole matrix', () => view.panels.showAll()),
    buttonControl('Save PNG', 'Save this view as a picture', save(saveViewAsPng)),
    buttonControl('Save SVG', 'Save this view as a vector figure', save(saveViewAsSvg)),
  ];
}
