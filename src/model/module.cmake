mha_add_module(model
  SOURCES
    model/bundled_model.cpp
    model/checkpoint.cpp
    model/config.cpp
    model/config_fields.cpp
    model/decoder_families.cpp
    model/encoder_families.cpp
    model/families.cpp
    model/head_importance.cpp
    model/layers.cpp
    model/prediction.cpp
    model/predictions.cpp
    model/rope_fields.cpp
    model/rope_scaling.cpp
    model/model_facts.cpp
    model/model_folder.cpp
    model/tokenizer_folder.cpp
    model/transformer.cpp
    model/transformer_rows.cpp
  USES base tensor io text attention)
set(MHA_MODEL_FOLDER "${PROJECT_SOURCE_DIR}/data/models/toy")
set_source_files_properties(model/bundled_model.cpp PROPERTIES
  COMPILE_DEFINITIONS "MHA_MODEL_FOLDER=\"${MHA_MODEL_FOLDER}\""
  OBJECT_DEPENDS
  "${MHA_MODEL_FOLDER}/config.json;${MHA_MODEL_FOLDER}/tokenizer.json;${MHA_MODEL_FOLDER}/model.safetensors")
